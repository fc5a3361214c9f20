-- Whether a job neither runs nor has failed for good. One that cannot be looked at counts as running.
local function is_idle(job)
  return redis.pcall("EXISTS", job.key .. ":lock") == 0
    and not redis.pcall("ZSCORE", job.queue.failed_key, job.id)
end
