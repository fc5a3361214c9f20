-- Let the next job with the same deduplication id in: this one is finished.
--
-- A key with a time to live stays until its time is over, as its owner asked.
local function release_deduplication(queue, job_id, deduplication_id)
  if not deduplication_id then
    return
  end
  local key = queue.base .. "de:" .. deduplication_id
  local ttl_ms = redis.call("PTTL", key)
  if ttl_ms == 0 or (ttl_ms == -1 and redis.call("GET", key) == job_id) then
    redis.call("DEL", key)
  end
end
