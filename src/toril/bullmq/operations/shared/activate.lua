-- @include announce
-- @include spend_rate

-- Make these jobs active, each with a lock that `claim.token` opens; and ring for the next worker.
--
-- They are the next of the list, and then the first of the prioritized set, in this order. Rings
-- first: a server that is out of memory refuses that, and then nothing has happened.
local function activate(queue, meta, jobs, claim)
  if #jobs == 0 then
    return
  end
  redis.call("ZADD", queue.marker_key, "0", "0")
  local ids, prioritized = {}, {}
  for index, job in ipairs(jobs) do
    ids[index] = job.id
    if job.from == queue.prioritized_key then
      prioritized[#prioritized + 1] = job.id
    end
  end
  redis.call("LPUSH", queue.active_key, unpack(ids))
  redis.call("LTRIM", meta.list_key, "0", #prioritized - #ids - 1)
  if #prioritized > 0 then
    redis.call("ZREM", queue.prioritized_key, unpack(prioritized))
  end
  local by = claim.worker_name ~= "" and { "pb", claim.worker_name } or {}
  for _, job in ipairs(jobs) do
    local job_key = queue.base .. job.id
    redis.call("SET", job_key .. ":lock", claim.token, "PX", claim.lock_ms)
    announce(queue, "active", job.id, "prev", "waiting")
    redis.call("HSET", job_key, "processedOn", claim.now, "ats", job.starts + 1, unpack(by))
  end
  spend_rate(queue, meta, #jobs)
end
