-- Give a job another priority. One that is ready changes its place, behind the others of its new
-- priority or before them; for any other the priority counts when it is ready next.
--
-- A ready job is looked for in both lists: another version of BullMQ may have put it in the one
-- that this queue does not use now.
--
-- keys    job_key    the hash of the job; then those of the queue
-- args    base       what the keys of the queue start with
--         job_id
--         priority   0 is none
--         lifo       1 puts it before the others of its priority, 0 behind them
-- reply   {1}        it has it
--         {0}        there is no such job
local job_key = unpack(KEYS)
local base, job_id, priority, lifo = unpack(ARGV)

-- @include check_types
-- @include is_job
-- @include make_ready
-- @include queue_at
-- @include read_meta

local MISSING, MOVED = 0, 1

local queue = queue_at(base)

local function take_out()
  return redis.call("ZREM", queue.prioritized_key, job_id)
    + redis.call("LREM", queue.wait_key, -1, job_id)
    + redis.call("LREM", queue.paused_key, -1, job_id)
end

local function put_in(meta)
  local job, is_first = { id = job_id, priority = tonumber(priority) }, lifo == "1"
  if is_first and job.priority > 0 then
    redis.call("ZADD", queue.prioritized_key, job.priority * 4294967296, job_id)
  else
    make_ready(queue, meta, job, is_first and "RPUSH" or "LPUSH")
  end
end

check_types(queue)
if not is_job(base, job_id) then
  return { MISSING }
end
local meta = read_meta(queue)
redis.call("HSET", job_key, "priority", priority)
if take_out() > 0 then
  put_in(meta)
end
return { MOVED }
