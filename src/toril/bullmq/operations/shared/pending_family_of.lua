-- @include child_at
-- @include is_idle

-- Give a job those `children` that are pending and neither run nor have failed, and them theirs; none
-- is met a second time. Only looks.
local function pending_family_of(job, met)
  met[job.key] = true
  local keys = redis.pcall("SMEMBERS", job.key .. ":dependencies")
  for _, key in ipairs(keys.err and {} or keys) do
    local child = not met[key] and child_at(key, job)
    if child and is_idle(child) then
      job.children[#job.children + 1] = child
      if child.is_there then
        pending_family_of(child, met)
      end
    end
  end
end
