-- Let a job be nobody's child any more: its parent does not wait for it, and is not told of its end.
--
-- The last one that leaves lets the parent run.
--
-- keys    job_key   the hash of the child; then those of its queue. Those of the parent are found in it
-- args    base      what the keys of the queue start with
--         job_id
-- reply   {1}       it has left
--         {2}       nobody waits for it
--         {0}       there is no such job
local job_key = unpack(KEYS)
local base, job_id = unpack(ARGV)

-- @include detach_child
-- @include is_job
-- @include parent_of
-- @include queue_at

local MISSING, LEFT, FREE = 0, 1, 2

if not is_job(base, job_id) then
  return { MISSING }
end
local parent = parent_of(queue_at(base), job_id)
if not parent or redis.call("SISMEMBER", parent.key .. ":dependencies", job_key) == 0 then
  return { FREE }
end
detach_child(parent, job_key)
redis.call("HDEL", job_key, "parentKey", "parent")
return { LEFT }
