-- Tell the workers when the earliest delayed job comes due.
local function ring_for_delayed(queue)
  local earliest = redis.call("ZRANGE", queue.delayed_key, "0", "0", "WITHSCORES")
  if earliest[2] then
    redis.call("ZADD", queue.marker_key, tonumber(earliest[2]) / 4096, "1")
  end
end
