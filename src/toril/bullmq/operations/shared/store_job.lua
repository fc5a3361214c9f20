-- @include line_up
-- @include put_off

-- Store a new job that has its id, and put it where it belongs; `let_in` has to follow.
local function store_job(queue, meta, job)
  local key = queue.base .. job.id
  -- stylua: ignore
  redis.call(
    "HSET", key, "name", job.name, "data", job.data, "opts", job.opts, "timestamp", job.timestamp,
    "delay", job.delay_ms or "0", "priority", job.priority or "0"
  )
  if job.deduplication then
    redis.call("HSET", key, "deid", job.deduplication.id)
  end
  redis.call("XADD", queue.events_key, "*", "event", "added", "jobId", job.id, "name", job.name)
  if job.delay_ms and job.delay_ms > 0 then
    put_off(queue, meta, job.id, job.timestamp + job.delay_ms)
  else
    line_up(queue, meta, job)
    redis.call("XADD", queue.events_key, "*", "event", "waiting", "jobId", job.id)
  end
end
