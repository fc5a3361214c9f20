-- The keys of all children of a job, those that have ended first. Only looks.
--
-- A key of another type has no children: it is somebody else's.
local function child_keys_of(job_key)
  local found = {}
  local function add(...)
    local keys = redis.pcall(...)
    for _, key in ipairs(keys.err and {} or keys) do
      found[#found + 1] = key
    end
  end
  add("HKEYS", job_key .. ":processed")
  add("HKEYS", job_key .. ":failed")
  add("ZRANGE", job_key .. ":unsuccessful", 0, -1)
  add("SMEMBERS", job_key .. ":dependencies")
  return found
end
