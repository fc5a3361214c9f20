-- Milliseconds until the earliest delayed job comes due, 0 when it has; nil without one.
local function due_in_ms(queue, now)
  local earliest = redis.call("ZRANGE", queue.delayed_key, "0", "0", "WITHSCORES")
  return earliest[2] and math.max(math.floor(tonumber(earliest[2]) / 4096) - now, 0)
end
