-- @include announce
-- @include release_deduplication
-- @include retain

-- Store the end of a job, completed or failed, and tell everybody.
local function finish_job(queue, job, outcome, now)
  local job_key = queue.base .. job.id
  local target_key = queue[outcome.kind .. "_key"]
  local field = outcome.kind == "completed" and "returnvalue" or "failedReason"
  release_deduplication(queue, job.id, job.deduplication_id)
  if outcome.keep.count == 0 then
    redis.call("DEL", unpack(job_keys(queue, job.id)))
  else
    local changes = { field, outcome.text, "finishedOn", now, "atm", job.attempts_made }
    redis.call("ZADD", target_key, now, job.id)
    redis.call("HSET", job_key, unpack(changes))
    if outcome.kind == "failed" then
      redis.call("HDEL", job_key, "defa")
    end
    retain(queue, target_key, outcome.keep, now)
  end
  announce(queue, outcome.kind, job.id, field, outcome.text, "prev", "active")
  if outcome.kind == "failed" and job.attempts_made >= outcome.attempts then
    announce(queue, "retries-exhausted", job.id, "attemptsMade", job.attempts_made)
  end
end
