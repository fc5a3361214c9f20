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
  local left = math.max(meta.rate_max - (meta.is_in_window and started or 0), 0)
  return left, left == 0 and meta.is_in_window and ttl_ms or 0
end
