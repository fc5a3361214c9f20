-- @include announce
-- @include make_ready
-- @include put_off
-- @include tell

-- Store a new job that has its id, and put it where it belongs.
local function store_job(queue, meta, job)
  local fields = { "name", job.name, "data", job.data, "opts", job.opts }
  if job.deduplication then
    fields[7], fields[8] = "deid", job.deduplication.id
  end
  local numbers = { "delay", job.delay_ms, "priority", job.priority, unpack(fields) }
  redis.call("HSET", queue.base .. job.id, "timestamp", job.timestamp, unpack(numbers))
  announce(queue, "added", job.id, "name", job.name)
  if job.delay_ms > 0 then
    put_off(queue, meta, job.id, job.timestamp + job.delay_ms)
  else
    make_ready(queue, meta, job, job.lifo and "RPUSH" or "LPUSH")
    tell(queue, meta, "waiting", job.id)
  end
end
