-- @include make_ready
-- @include put_off
-- @include tell

-- Put a job that has run without ending where its outcome wants it: next in line when it is given
-- back, in line when it is retried, among the delayed ones when it is to run later. One that will only
-- be failed need not wait for that.
local function return_job(queue, meta, job, outcome, now)
  local job_key = queue.base .. job.id
  if outcome.counts then
    redis.call("HSET", job_key, "atm", job.attempts_made)
  end
  if outcome.kind == "delay" and not job.is_doomed then
    redis.call("HSET", job_key, "delay", outcome.delay_ms)
    put_off(queue, meta, job.id, now + outcome.delay_ms)
    return
  elseif outcome.kind ~= "give_back" then
    make_ready(queue, meta, job, outcome.lifo and "RPUSH" or "LPUSH")
  elseif job.priority > 0 then
    redis.call("ZADD", queue.prioritized_key, job.priority * 4294967296, job.id)
    ring(queue, meta)
  else
    make_ready(queue, meta, job, "RPUSH")
  end
  tell(queue, meta, "waiting", job.id, "prev", "active")
end
