-- Let the next job with the same deduplication id in, as its owner is removed, and forget what was
-- kept back for the owner's end.
local function forget_deduplication(queue, job_id)
  local fields = redis.pcall("HMGET", queue.base .. job_id, "deid")
  local deduplication_id = fields[1]
  if not deduplication_id then
    return
  end
  local key = queue.base .. "de:" .. deduplication_id
  if redis.pcall("GET", key) == job_id then
    redis.call("DEL", key, queue.base .. "dn:" .. deduplication_id)
  end
end
