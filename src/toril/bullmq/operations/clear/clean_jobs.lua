-- Remove jobs of one state that are older than a grace, and tell everybody how many.
--
-- Jobs that a worker has locked stay, and so do the next jobs of schedulers. Looks at 1,000 ids a
-- call at most, so that the server is not held up.
--
-- keys    place_key   the ids of the jobs in that state; then those of the queue
-- args    base        what the keys of the queue start with
--         place       the last part of that key
--         grace_ms    how old a job must be
--         skip        how many ids to leave out: earlier calls have looked at them
--         count       how many to remove at most
--         clock_ms    a frozen clock, or 0 for the server's
-- reply   {1, is_last, kept, {id, ...}}   is_last 1 when no more ids are left to be looked at; how
--                                         many were looked at and stay; those that were removed
local place_key = unpack(KEYS)
local base, place, grace_ms, skip, count, clock_ms = unpack(ARGV)

-- @include check_types
-- @include discard_job
-- @include now_ms
-- @include queue_at
-- @include scheduled_ids

local CLEANED = 1
local WINDOW = 1000
-- Which fields tell the age of a job, the first that is there.
local CLOCKS = {
  delayed = { "processedOn", "timestamp" },
  prioritized = { "timestamp" },
  wait = { "finishedOn", "processedOn", "timestamp" },
}

local queue = queue_at(base)
local until_ms = tonumber(now_ms(clock_ms)) - grace_ms
local has_ended = place == "completed" or place == "failed"
local is_list = place == "wait" or place == "paused" or place == "active"

local function window()
  if has_ended then
    return redis.call("ZRANGEBYSCORE", place_key, "-inf", until_ms, "LIMIT", skip, WINDOW)
  elseif not is_list then
    return redis.call("ZRANGE", place_key, skip, skip + WINDOW - 1)
  end
  local found, tail = {}, redis.call("LRANGE", place_key, -(skip + WINDOW), -(skip + 1))
  for index = #tail, 1, -1 do
    found[#found + 1] = tail[index]
  end
  return found
end

-- Whether there is no job behind the id, or one that is old enough.
local function is_old(job_id)
  if has_ended then
    return true
  end
  local times = redis.pcall("HMGET", base .. job_id, unpack(CLOCKS[place] or CLOCKS.wait))
  for index = 1, #(CLOCKS[place] or CLOCKS.wait) do
    if times[index] then
      return (tonumber(times[index]) or 0) <= until_ms
    end
  end
  return true
end

check_types(queue)
redis.call("ZCARD", queue.waiting_children_key)
redis.call("SCARD", queue.stalled_key)
local scheduled = scheduled_ids(queue)

local function must_stay(job_id)
  return scheduled[job_id]
    or not is_old(job_id)
    or redis.call("EXISTS", base .. job_id .. ":lock") == 1
end

-- Returns the ids that are to go, and how many stay of those that were looked at.
local function sort_out(ids)
  local going, kept = {}, 0
  for _, job_id in ipairs(ids) do
    if #going == tonumber(count) then
      break
    elseif must_stay(job_id) then
      kept = kept + 1
    else
      going[#going + 1] = job_id
    end
  end
  return going, kept
end

local function remove(job_id)
  if is_list then
    redis.call("LREM", place_key, -1, job_id)
    redis.call("SREM", queue.stalled_key, job_id)
  else
    redis.call("ZREM", place_key, job_id)
  end
  discard_job(queue, job_id)
end

local ids = window()
local going, kept = sort_out(ids)
for _, job_id in ipairs(going) do
  remove(job_id)
end
redis.call("XADD", queue.events_key, "*", "event", "cleaned", "count", #going)
local is_last = kept + #going == #ids and #ids < WINDOW
return { CLEANED, is_last and 1 or 0, kept, going }
