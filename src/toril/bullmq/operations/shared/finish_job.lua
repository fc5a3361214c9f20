-- @include announce
-- @include file_ends
-- @include store_end

-- End a job, completed or failed, and tell everybody. Returns 1, or 4 when it was not active.
local function finish_job(queue, job, outcome, ended)
  if redis.call("LREM", queue.active_key, "-1", job.id) == 0 then
    return 4
  end
  local field = outcome.kind == "completed" and "returnvalue" or "failedReason"
  if ended.others then
    ended.others.end_of(job, outcome)
  end
  store_end(queue, job, outcome, ended, field)
  if ended.others then
    -- What goes for this job is told before its end is.
    file_ends(queue, ended)
  end
  announce(queue, outcome.kind, job.id, field, outcome.text, "prev", "active")
  if outcome.kind == "failed" and job.attempts_made >= outcome.attempts then
    announce(queue, "retries-exhausted", job.id, "attemptsMade", job.attempts_made)
  end
  ended.count = ended.count + 1
  return 1
end
