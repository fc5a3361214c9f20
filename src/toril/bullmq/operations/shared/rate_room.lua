-- @include whole

-- How many jobs may still start in this window, and how long to wait when none may. Only looks, and
-- notes in `meta` whether there is a window under way.
--
-- A counter that never expires, or that is no number, is a broken one: the window counts as over.
local function rate_room(queue, meta)
  if not meta.rate_max then
    return math.huge, 0
  end
  local started = whole(redis.call("GET", queue.limiter_key))
  local ttl_ms = redis.call("PTTL", queue.limiter_key)
  meta.is_in_window = started ~= nil and ttl_ms > 0
  if not meta.is_in_window then
    return meta.rate_max, 0
  end
  if started >= meta.rate_max then
    return 0, ttl_ms
  end
  return meta.rate_max - started, 0
end
