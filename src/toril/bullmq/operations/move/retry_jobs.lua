-- Make jobs ready that have failed or completed, those first that ended first: they run again.
--
-- What is known of their attempts and their stack traces stays. Each goes behind the others of its
-- priority. Ids that have no job behind them are dropped.
--
-- keys    ended_key   the failed jobs, or the completed ones; then those of the queue
-- args    base        what the keys of the queue start with
--         kind        failed, or completed
--         until_ms    only those that had ended by then
--         count       at most so many, so that the server is not held up
-- reply   {1, taken, ready}   how many ids left the finished ones, and how many are ready jobs now
local ended_key = unpack(KEYS)
local base, kind, until_ms, count = unpack(ARGV)

-- @include check_types
-- @include job_fields
-- @include make_ready
-- @include queue_at
-- @include read_meta
-- @include rejoin_parent
-- @include tell
-- @include whole

local MOVED = 1

local queue = queue_at(base)
local result_field = kind == "failed" and "failedReason" or "returnvalue"

local function run_again(meta, job)
  make_ready(queue, meta, job, "LPUSH")
  redis.call("HDEL", base .. job.id, "finishedOn", "processedOn", result_field)
  rejoin_parent(base .. job.id, job.parent_key, kind)
  tell(queue, meta, "waiting", job.id, "prev", kind)
end

check_types(queue)
local meta = read_meta(queue)
local ids = redis.call("ZRANGEBYSCORE", ended_key, "-inf", until_ms, "LIMIT", 0, count)
local jobs = {}
for _, job_id in ipairs(ids) do
  local fields = job_fields(queue, job_id, "priority", "parentKey")
  if fields then
    local priority = whole(fields[1]) or 0
    jobs[#jobs + 1] = { id = job_id, priority = priority, parent_key = fields[2] }
  end
end
for _, job in ipairs(jobs) do
  run_again(meta, job)
end
if #ids > 0 then
  redis.call("ZREM", ended_key, unpack(ids))
end
return { MOVED, #ids, #jobs }
