-- Remove the children that a job waits for, and theirs, so that it can end.
--
-- A child that a worker has, and one that has failed for good, stays as it is, and stays pending.
--
-- keys    job_key   the hash of the parent; then those of its queue. Those of children are found in
--                   its set of children
-- args    base      what the keys of the queue start with
--         job_id
-- reply   {1, count}   how many jobs are gone
--         {0}          there is no such job
local job_key = unpack(KEYS)
local base, job_id = unpack(ARGV)

-- @include can_remove
-- @include pending_family_of
-- @include queue_at
-- @include remove_family

local MISSING, REMOVED = 0, 1

local job = { id = job_id, key = job_key, queue = queue_at(base), children = {} }
if not can_remove(job) then
  return { MISSING }
end
pending_family_of(job, {})
local count = 0
for _, child in ipairs(job.children) do
  count = count + remove_family(child)
end
return { REMOVED, count }
