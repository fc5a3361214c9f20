-- @include can_look_at
-- @include is_job

-- Whether there is a job that can be removed from wherever it is. Only looks.
local function can_remove(job)
  local went_well = pcall(function()
    redis.call("ZCARD", job.queue.completed_key)
    redis.call("LLEN", job.queue.active_key)
    redis.call("SCARD", job.queue.stalled_key)
  end)
  return went_well and can_look_at(job) and is_job(job.queue.base, job.id)
end
