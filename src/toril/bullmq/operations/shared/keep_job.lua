-- Keep a new job back until the owner of its deduplication id has ended, instead of one that was
-- kept before; false when the owner does not run. The id is the owner's for as long as that takes.
local function keep_job(queue, job, owner)
  if not redis.call("LPOS", queue.active_key, owner) then
    return false
  end
  local kept_key = queue.base .. "dn:" .. job.deduplication.id
  local texts = { "name", job.name, "data", job.data, "opts", job.opts, "jid", job.id }
  redis.call("DEL", kept_key)
  redis.call("HSET", kept_key, unpack(texts))
  redis.call("PERSIST", queue.base .. "de:" .. job.deduplication.id)
  return true
end
