-- @include give_id
-- @include kept_job
-- @include let_in
-- @include read_meta
-- @include store_job

-- Add the job that was kept back while the owner of its deduplication id ran, and make it the
-- owner; unless there is none, or its own id is taken by now.
local function add_kept_job(queue, deduplication_id, now)
  local job = kept_job(queue, deduplication_id, now)
  if not job then
    return
  end
  local meta = read_meta(queue)
  redis.call("DEL", queue.base .. "dn:" .. deduplication_id)
  if not give_id(queue, job) then
    tell(queue, meta, "duplicated", job.id)
    return
  end
  store_job(queue, meta, job)
  let_in(queue, meta)
  redis.call("SET", queue.base .. "de:" .. deduplication_id, job.id)
  for field, value in pairs(job.links) do
    if value then
      redis.call("HSET", queue.base .. job.id, field, value)
    end
  end
  if job.siblings_key then
    redis.pcall("SADD", job.siblings_key, queue.base .. job.id)
  end
end
