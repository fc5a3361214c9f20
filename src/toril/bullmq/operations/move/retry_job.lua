-- Make a job ready that has failed or completed: it runs again.
--
-- What is known of its attempts and its stack traces stay, unless they are to be counted anew. It goes
-- where its priority and its `lifo` want it.
--
-- keys    job_key    the hash of the job; then those of the queue
-- args    base       what the keys of the queue start with
--         job_id
--         anew       1 forgets how many attempts it has made and started
-- reply   {1}        it is ready
--         {2, place} it has not finished; the last part of the key that holds its id, or ""
--         {0}        there is no such job
local job_key = unpack(KEYS)
local base, job_id, anew = unpack(ARGV)

-- @include check_types
-- @include job_fields
-- @include make_ready
-- @include opts_of
-- @include queue_at
-- @include read_meta
-- @include refuse
-- @include rejoin_parent
-- @include tell
-- @include whole

local MOVED = 1

local queue = queue_at(base)

local function how_it_ended()
  if redis.call("ZSCORE", queue.failed_key, job_id) then
    return "failed", "failedReason"
  elseif redis.call("ZSCORE", queue.completed_key, job_id) then
    return "completed", "returnvalue"
  end
  return nil
end

check_types(queue)
local fields = job_fields(queue, job_id, "priority", "opts", "parentKey")
local ended_as, field = how_it_ended()
if not (fields and ended_as) then
  return refuse(queue, job_id, fields ~= nil)
end
local meta = read_meta(queue)
local job = { id = job_id, priority = whole(fields[1]) or 0 }
redis.call("ZREM", base .. ended_as, job_id)
redis.call("HDEL", job_key, "finishedOn", "processedOn", field)
if anew == "1" then
  redis.call("HDEL", job_key, "atm", "ats")
end
make_ready(queue, meta, job, opts_of(fields[2]).lifo and "RPUSH" or "LPUSH")
rejoin_parent(job_key, fields[3], ended_as)
tell(queue, meta, "waiting", job_id, "prev", ended_as)
return { MOVED }
