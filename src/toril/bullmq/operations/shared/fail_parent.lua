-- @include resume_parent

-- Have a parent fail because of a child: the next worker that takes it fails it without running it.
--
-- It is made ready at once if it waits, for its children or for its time.
local function fail_parent(parent, child_key, now)
  redis.call("ZADD", parent.key .. ":unsuccessful", now, child_key)
  if not redis.call("ZSCORE", parent.queue.failed_key, parent.id) then
    redis.call("HSET", parent.key, "defa", "child " .. child_key .. " failed")
  end
  local was_delayed = redis.call("ZREM", parent.queue.delayed_key, parent.id) == 1
  if was_delayed then
    redis.call("HSET", parent.key, "delay", "0")
  end
  resume_parent(parent, now, was_delayed)
end
