-- @include family_of
-- @include parent_of
-- @include remove_family

-- Remove a job with all that belongs to it, and its children with it if that is wanted.
--
-- Answers with the reply for it: {1, count} gone; {2, job_key} nothing was removed, as a worker has
-- locked this one; {3, scheduler} nothing was removed, as it is the next job of this scheduler.
local function remove_wholly(job, with_children)
  local REMOVED, LOCKED, SCHEDULED = 1, 2, 3
  local base = job.queue.base

  -- The id of the next job is made of the scheduler's and of the time that this runs next.
  local function scheduler_of_next(scheduler)
    local next_ms = scheduler and redis.call("ZSCORE", base .. "repeat", scheduler)
    return next_ms and job.id == "repeat:" .. scheduler .. ":" .. next_ms and scheduler or nil
  end

  local locked_key
  if with_children then
    locked_key = family_of(job, {})
  elseif redis.call("EXISTS", job.key .. ":lock") == 1 then
    locked_key = job.key
  end
  if locked_key then
    return { LOCKED, locked_key }
  end
  local fields = redis.pcall("HMGET", job.key, "rjk")
  local scheduler = scheduler_of_next(fields[1])
  if scheduler then
    return { SCHEDULED, scheduler }
  end
  job.parent = parent_of(job.queue, job.id)
  return { REMOVED, remove_family(job) }
end
