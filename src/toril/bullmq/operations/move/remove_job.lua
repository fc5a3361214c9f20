-- Remove a job with all that belongs to it, and its children with it if that is wanted.
--
-- Nothing is removed when a worker has locked one of them: it would go on with a job that is not there.
-- The next job of a scheduler stays as well: without it the scheduler would never make another.
-- A parent of the job waits for it no more.
--
-- keys    job_key         the hash of the job; then those of the queue and of the deduplication id.
--                         Those of a parent and of children are found in the hashes
-- args    base            what the keys of the queue start with
--         job_id
--         with_children   1 or 0
-- reply   {1, count}      how many jobs are gone
--         {2, job_key}    a worker has locked this one
--         {3, scheduler}  it is the next job of this scheduler
local job_key = unpack(KEYS)
local base, job_id, with_children = unpack(ARGV)

-- @include check_types
-- @include is_job
-- @include place_of
-- @include queue_at
-- @include remove_wholly

local queue = queue_at(base)
check_types(queue)
-- Looked at for their types: nothing may raise after the first write.
redis.call("HLEN", queue.meta_key)
local job = { id = job_id, key = job_key, queue = queue, children = {} }
-- A job that something has spoilt is one all the same, as long as it is in a state.
job.is_there = is_job(base, job_id) or place_of(queue, job_id) ~= nil
redis.call("SCARD", queue.stalled_key)
return remove_wholly(job, with_children == "1")
