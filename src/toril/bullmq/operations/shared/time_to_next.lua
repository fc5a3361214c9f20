-- Milliseconds until the queue has work that it knows of: a delayed job comes due, or the rate
-- limit ends. -1 when it knows of nothing.
local function time_to_next(queue, now, limited_ms)
  local next_ms = limited_ms > 0 and limited_ms or math.huge
  local earliest = redis.call("ZRANGE", queue.delayed_key, 0, 0, "WITHSCORES")
  if earliest[2] then
    next_ms = math.min(next_ms, math.floor(tonumber(earliest[2]) / 4096) - now)
  end
  return next_ms == math.huge and -1 or math.max(next_ms, 0)
end
