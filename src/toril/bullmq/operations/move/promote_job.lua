-- Make a delayed job ready now.
--
-- The marker of the next delayed job may stay behind: it wakes a worker once for nothing.
--
-- keys    job_key    the hash of the job; then those of the queue
-- args    base       what the keys of the queue start with
--         job_id
-- reply   {1}        it is ready
--         {2, place} it is not delayed; the last part of the key that holds its id, or ""
--         {0}        there is no such job
local job_key = unpack(KEYS)
local base, job_id = unpack(ARGV)

-- @include check_types
-- @include job_fields
-- @include promote
-- @include queue_at
-- @include read_meta
-- @include refuse
-- @include whole

local MOVED = 1

local queue = queue_at(base)
check_types(queue)
local fields = job_fields(queue, job_id, "priority")
if not (fields and redis.call("ZSCORE", queue.delayed_key, job_id)) then
  return refuse(queue, job_id, redis.call("EXISTS", job_key) == 1)
end
promote(queue, read_meta(queue), { { id = job_id, priority = whole(fields[1]) or 0 } })
return { MOVED }
