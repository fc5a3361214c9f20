-- @include announce
-- @include spend_rate

-- Make these jobs active, each with a lock that `claim.token` opens; and ring for the next worker.
--
-- They are the next of the list, and then the first of the prioritized set, in this order.
local function activate(queue, meta, jobs, claim)
  local started = { "processedOn", claim.now }
  if claim.worker_name ~= "" then
    started = { "pb", claim.worker_name, "processedOn", claim.now }
  end
  for _, job in ipairs(jobs) do
    local job_key = queue.base .. job.id
    if job.from == queue.prioritized_key then
      redis.call("LPUSH", queue.active_key, job.id)
      redis.call("ZREM", queue.prioritized_key, job.id)
    else
      redis.call("RPOPLPUSH", job.from, queue.active_key)
    end
    redis.call("SET", job_key .. ":lock", claim.token, "PX", claim.lock_ms)
    announce(queue, "active", job.id, "prev", "waiting")
    redis.call("HSET", job_key, "ats", job.starts + 1, unpack(started))
  end
  if #jobs > 0 then
    spend_rate(queue, meta, #jobs)
    redis.call("ZADD", queue.marker_key, 0, "0")
  end
end
