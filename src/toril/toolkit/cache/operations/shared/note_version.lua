-- Remember the version of the value that is stored for `life_ms`, and a minute beyond: when the
-- value is removed, a writer that was late must not bring back an older one.
local function note_version(version_key, version, life_ms)
  local BEYOND_MS = 60000
  if version ~= "" then
    redis.call("SET", version_key, version, "PX", tonumber(life_ms) + BEYOND_MS)
  end
end
