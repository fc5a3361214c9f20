-- @include announce
-- @include make_ready
-- @include put_off
-- @include tell

-- Store a new job that has its id, and put it where it belongs.
local function store_job(queue, meta, job)
  local key = queue.base .. job.id
  redis.call(
    "HSET",
    key,
    "name",
    job.name,
    "data",
    job.data,
    "opts",
    job.opts,
    "timestamp",
    job.timestamp,
    "delay",
    job.delay_ms,
    "priority",
    job.priority
  )
  if job.deduplication then
    redis.call("HSET", key, "deid", job.deduplication.id)
  end
  announce(queue, "added", job.id, "name", job.name)
  if job.delay_ms > 0 then
    put_off(queue, meta, job.id, job.timestamp + job.delay_ms)
  else
    make_ready(queue, meta, job, job.lifo and "RPUSH" or "LPUSH")
    tell(queue, meta, "waiting", job.id)
  end
end
