-- @include child_at
-- @include child_keys_of

-- Give a job its `children`, and them theirs; none is met a second time. Only looks.
--
-- Returns the key of the first of all that a worker has locked, nil when nobody has.
local function family_of(job, met)
  met[job.key] = true
  local locked_key = redis.call("EXISTS", job.key .. ":lock") == 1 and job.key or nil
  for _, key in ipairs(child_keys_of(job.key)) do
    local child = not met[key] and child_at(key, job)
    if child then
      job.children[#job.children + 1] = child
      if child.is_there then
        locked_key = family_of(child, met) or locked_key
      end
    end
  end
  return locked_key
end
