-- How many jobs may still start in this window, and how long to wait when none may. Only looks.
--
-- A spent counter that never expires is a broken one: the window counts as over.
local function rate_room(queue, meta)
  if not meta.rate_max then
    return math.huge, 0
  end
  local started = tonumber(redis.call("GET", queue.limiter_key) or 0) or 0
  local ttl_ms = redis.call("PTTL", queue.limiter_key)
  if started >= meta.rate_max and ttl_ms > 0 then
    return 0, ttl_ms
  end
  if ttl_ms <= 0 then
    started = 0
  end
  return meta.rate_max - started, 0
end
