-- @include announce
-- @include make_ready
-- @include read_meta
-- @include ring_for_delayed
-- @include whole

-- Put a parent that waits for its children, or `was_delayed` and has left its place there, to where
-- it runs from: next in line, or by its priority, or among the delayed ones for its own delay.
local function resume_parent(parent, now, was_delayed)
  local queue = parent.queue
  if not was_delayed and redis.call("ZREM", queue.waiting_children_key, parent.id) == 0 then
    return
  end
  local priority, delay_ms = unpack(redis.call("HMGET", parent.key, "priority", "delay"))
  local due_ms = now + (tonumber(delay_ms) or 0)
  if due_ms > tonumber(now) then
    redis.call("ZADD", queue.delayed_key, due_ms * 4096, parent.id)
    announce(queue, "delayed", parent.id, "delay", due_ms)
    ring_for_delayed(queue)
    return
  end
  local job = { id = parent.id, priority = whole(priority) or 0 }
  make_ready(queue, read_meta(queue), job, "RPUSH")
  announce(queue, "waiting", parent.id, "prev", "waiting-children")
end
