-- @include announce
-- @include line_up
-- @include put_off

-- Store a new job that has its id, and put it where it belongs; `let_in` has to follow.
local function store_job(queue, meta, job)
  local key = queue.base .. job.id
  local texts = { "name", job.name, "data", job.data, "opts", job.opts }
  texts[7], texts[8] = "timestamp", job.timestamp
  texts[9], texts[10] = "delay", job.delay_ms or "0"
  texts[11], texts[12] = "priority", job.priority or "0"
  redis.call("HSET", key, unpack(texts))
  if job.deduplication then
    redis.call("HSET", key, "deid", job.deduplication.id)
  end
  announce(queue, "added", job.id, "name", job.name)
  if job.delay_ms and job.delay_ms > 0 then
    put_off(queue, meta, job.id, job.timestamp + job.delay_ms)
  else
    line_up(queue, meta, job)
    announce(queue, "waiting", job.id)
  end
end
