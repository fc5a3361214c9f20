-- @include announce
-- @include store_end

-- End a job, completed or failed, and tell everybody. Returns 1, or 4 when it was not active.
local function finish_job(queue, job, outcome, ended)
  if redis.call("LREM", queue.active_key, "-1", job.id) == 0 then
    return 4
  end
  local field = outcome.kind == "completed" and "returnvalue" or "failedReason"
  ended.and_then(job)
  store_end(queue, job, outcome, ended)
  announce(queue, outcome.kind, job.id, field, outcome.text, "prev", "active")
  if outcome.kind == "failed" and job.attempts_made >= outcome.attempts then
    announce(queue, "retries-exhausted", job.id, "attemptsMade", job.attempts_made)
  end
  ended.count = ended.count + 1
  return 1
end
