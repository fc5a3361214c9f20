-- Let jobs be taken again: all that wait go back to the list that workers take from.
--
-- Rings whenever there is a job to take, also one that a client of another version had left there
-- during the pause. The first write is one that a server out of memory takes, and so it takes the
-- rest.
--
-- keys    meta_key   settings of the queue; then those of the queue
-- args    base       what the keys of the queue start with
-- reply   {1}
local meta_key = unpack(KEYS)
local base = unpack(ARGV)

-- @include check_types
-- @include merge_waiting
-- @include queue_at
-- @include ring_for_delayed

local RESUMED = 1

local queue = queue_at(base)
check_types(queue)

redis.call("HDEL", meta_key, "paused")
merge_waiting(queue, queue.wait_key)
if redis.call("LLEN", queue.wait_key) + redis.call("ZCARD", queue.prioritized_key) > 0 then
  redis.call("ZADD", queue.marker_key, 0, "0")
else
  ring_for_delayed(queue)
end
redis.call("XADD", queue.events_key, "*", "event", "resumed")
return { RESUMED }
