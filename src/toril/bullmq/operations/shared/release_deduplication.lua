-- @include add_kept_job

-- Let the next job with the same deduplication id in, as this one is finished: the one that was kept
-- back for this moment is added.
--
-- A key with a time to live stays until its time is over, as its owner asked. When another job
-- owns the id by now, what was kept back is for its end.
local function release_deduplication(queue, job_id, deduplication_id, now)
  if not deduplication_id then
    return
  end
  local key = queue.base .. "de:" .. deduplication_id
  local owner, ttl_ms = redis.pcall("GET", key), redis.call("PTTL", key)
  if ttl_ms == 0 or (ttl_ms == -1 and owner == job_id) then
    redis.call("DEL", key)
  end
  if not owner or owner == job_id then
    add_kept_job(queue, deduplication_id, now)
  end
end
