-- Put as many minutes as have passed before the others, up to `size` in all. The first of them has its
-- count; in the rest, nothing ended.
local function close_minutes(data_key, count, minutes, size)
  local closed = { count }
  for minute = 2, minutes do
    closed[minute] = "0"
  end
  for first = 1, minutes, 1000 do
    redis.call("LPUSH", data_key, unpack(closed, first, math.min(first + 999, minutes)))
  end
  redis.call("LTRIM", data_key, 0, size - 1)
end
