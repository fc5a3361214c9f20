-- @include job_keys

-- Store in this field of a job how it ended, or remove the job when none of its kind is kept. What is
-- done once for all jobs of a call is only noted in `ended`: the members of its set, and the rules of
-- retention.
local function store_end(queue, job, outcome, ended, field)
  local job_key, kind, keep = queue.base .. job.id, outcome.kind, outcome.keep
  if keep.count == 0 then
    redis.call("DEL", unpack(job_keys(queue, job.id)))
    return
  end
  local changes = { "finishedOn", ended.now, "atm", job.attempts_made, unpack(outcome.fields) }
  redis.call("HSET", job_key, field, outcome.text, unpack(changes))
  if job.is_doomed then
    redis.call("HDEL", job_key, "defa")
  end
  local members = ended[kind]
  members[#members + 1], members[#members + 2] = ended.now, job.id
  if keep.count > 0 or keep.age_s >= 0 then
    local name = kind .. "/" .. keep.count .. "/" .. keep.age_s
    ended.rules[name] = { target_key = queue[kind .. "_key"], keep = keep }
  end
end
