-- @include job_keys

-- Take an id without a job out of these states, with all that belongs to it. Returns whether there
-- was anything.
local function drop_job(queue, job_id, states)
  local dropped =
    redis.call("DEL", queue.base .. job_id .. ":lock", unpack(job_keys(queue, job_id)))
  for _, name in ipairs(states) do
    local key = queue.base .. name
    local is_list = redis.call("TYPE", key).ok == "list"
    local command = is_list and { "LREM", key, "0", job_id } or { "ZREM", key, job_id }
    dropped = dropped + redis.call(unpack(command))
  end
  return dropped > 0
end
