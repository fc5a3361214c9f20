-- Whether a higher version than this was stored already; a value without a version never is.
local function is_outdone(version_key, version)
  return version ~= "" and tonumber(redis.call("GET", version_key) or 0) > tonumber(version)
end
