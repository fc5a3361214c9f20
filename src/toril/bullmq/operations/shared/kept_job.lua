-- @include opts_of

-- The job that was kept back while the owner of its deduplication id ran, or nil. Only looks.
--
-- Any client may have written it. When its options are no JSON, whoever claims the job will fail
-- it and say why.
local function kept_job(queue, deduplication_id, now)
  local names = { "name", "data", "opts", "jid", "pk", "pd", "rjk", "pdk" }
  local kept = redis.pcall("HMGET", queue.base .. "dn:" .. deduplication_id, unpack(names))
  if kept.err or not (kept[1] and kept[2] and kept[3]) then
    return nil
  end
  local job = opts_of(kept[3])
  job.name, job.data, job.opts = kept[1], kept[2], kept[3]
  job.id, job.timestamp = kept[4] or "", tonumber(now)
  job.deduplication = { id = deduplication_id }
  job.links = { parentKey = kept[5], parent = kept[6], rjk = kept[7] }
  job.siblings_key = kept[8]
  return job
end
