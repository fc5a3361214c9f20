-- @include can_remove
-- @include child_keys_of
-- @include queue_at

-- Give a job its `children`, and them theirs. Only looks.
--
-- Returns the key of the first of all that a worker has locked, nil when nobody has. A child that is
-- gone, or cannot be looked at, has no children and `is_there` no more; none is met a second time.
local function family_of(job, met)
  job.children, met[job.key] = {}, true
  local locked_key = redis.call("EXISTS", job.key .. ":lock") == 1 and job.key or nil
  for _, key in ipairs(child_keys_of(job.key)) do
    local base, id = string.match(key, "^(.*:)([^:]+)$")
    if base and not met[key] then
      local child = { id = id, key = key, queue = queue_at(base), children = {}, parent = job }
      child.is_there = can_remove(child)
      job.children[#job.children + 1] = child
      if child.is_there then
        locked_key = family_of(child, met) or locked_key
      end
    end
  end
  return locked_key
end
