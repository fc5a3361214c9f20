-- Make the earliest delayed jobs ready now, in the order in which they are due.
--
-- Ids that have no job behind them are dropped. The marker of the next delayed job may stay
-- behind: it wakes a worker once for nothing.
--
-- keys    meta_key   settings of the queue; then those of the queue
-- args    base       what the keys of the queue start with
--         count      at most so many, so that the server is not held up
-- reply   {1, taken, ready}   how many ids left the delayed ones, and how many are ready jobs now
local meta_key = unpack(KEYS)
local base, count = unpack(ARGV)

-- @include check_types
-- @include job_fields
-- @include promote
-- @include queue_at
-- @include read_meta
-- @include whole

local PROMOTED = 1

local queue = queue_at(base)
redis.call("HLEN", meta_key)
check_types(queue)
local meta = read_meta(queue)
local ids = redis.call("ZRANGE", queue.delayed_key, 0, count - 1)
local jobs, ghosts = {}, {}
for _, job_id in ipairs(ids) do
  local fields = job_fields(queue, job_id, "priority")
  if fields then
    jobs[#jobs + 1] = { id = job_id, priority = whole(fields[1]) or 0 }
  else
    ghosts[#ghosts + 1] = job_id
  end
end
promote(queue, meta, jobs)
if #ghosts > 0 then
  redis.call("ZREM", queue.delayed_key, unpack(ghosts))
end
return { PROMOTED, #ids, #jobs }
