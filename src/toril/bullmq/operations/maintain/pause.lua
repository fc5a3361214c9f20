-- Let no job be taken any more: those that wait go to a list that no worker takes from.
--
-- Jobs that run go on. A second pause tells listeners again, as Node's does. The first write is
-- one that a server out of memory takes, and so it takes the rest.
--
-- keys    meta_key   settings of the queue; then those of the queue
-- args    base       what the keys of the queue start with
-- reply   {1}
local meta_key = unpack(KEYS)
local base = unpack(ARGV)

-- @include check_types
-- @include merge_waiting
-- @include queue_at

local PAUSED = 1

local queue = queue_at(base)
check_types(queue)
redis.call("HLEN", meta_key)

redis.call("DEL", queue.marker_key)
redis.call("HSET", meta_key, "paused", 1)
merge_waiting(queue, queue.paused_key)
redis.call("XADD", queue.events_key, "*", "event", "paused")
return { PAUSED }
