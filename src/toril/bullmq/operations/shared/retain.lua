-- @include job_keys

-- Remove finished jobs that are older than `keep.age_s` or beyond the newest `keep.count`; a
-- negative number keeps all. At most 1,000 of each a call: the rest goes with the next ones.
local function retain(queue, rule, now, others)
  local target_key, keep, excess = rule.target_key, rule.keep, {}
  if keep.age_s >= 0 then
    local until_ms = now - keep.age_s * 1000
    excess = redis.call("ZRANGEBYSCORE", target_key, "-inf", until_ms, "LIMIT", 0, 1000)
  end
  local surplus = redis.call("ZCARD", target_key) - #excess - keep.count
  if keep.count > 0 and surplus > 0 then
    local last = #excess + math.min(surplus, 1000) - 1
    excess = redis.call("ZRANGE", target_key, 0, last)
  end
  for _, job_id in ipairs(excess) do
    if others then
      others.removal_of(job_id)
    end
    redis.call("DEL", unpack(job_keys(queue, job_id)))
    redis.call("ZREM", target_key, job_id)
  end
end
