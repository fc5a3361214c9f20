-- @include announce
-- @include read_meta
-- @include ring

-- Have a parent wait no more for a child that is removed. The last one lets it run as the next,
-- whatever its priority and its delay.
local function detach_child(parent, child_key)
  local queue, pending_key = parent.queue, parent.key .. ":dependencies"
  if
    redis.call("SREM", pending_key, child_key) == 1
    and redis.call("SCARD", pending_key) == 0
    and redis.call("ZREM", queue.waiting_children_key, parent.id) == 1
  then
    local meta = read_meta(queue)
    redis.call("RPUSH", meta.list_key, parent.id)
    ring(queue, meta)
    announce(queue, "waiting", parent.id, "prev", "waiting-children")
  end
end
