-- Put as many minutes as have passed before the others, up to `size` in all. The first of them has its
-- count; in the rest, nothing ended.
local function close_minutes(data_key, count, minutes, size)
  redis.call("LPUSH", data_key, count)
  for _ = 2, minutes do
    redis.call("LPUSH", data_key, "0")
  end
  redis.call("LTRIM", data_key, 0, size - 1)
end
