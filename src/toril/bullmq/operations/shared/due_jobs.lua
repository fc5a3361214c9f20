-- @include check_types
-- @include job_fields
-- @include whole

-- The delayed jobs that have come due, the earliest first; and the places there that have no job.
--
-- At most 1,000 a call, so that the server is not held up. Only looks.
local function due_jobs(queue, now)
  local last = (now + 1) * 4096 - 1
  local ids = redis.call("ZRANGEBYSCORE", queue.delayed_key, 0, last, "LIMIT", 0, 1000)
  local due, ghosts = {}, {}
  for _, job_id in ipairs(ids) do
    local fields = job_fields(queue, job_id, "priority")
    if fields then
      due[#due + 1] = { id = job_id, priority = whole(fields[1]) or 0 }
    else
      ghosts[#ghosts + 1] = { id = job_id, from = queue.delayed_key }
    end
  end
  if #due > 0 then
    check_types(queue)
  end
  return due, ghosts
end
