-- Whether what was granted then still counts, by limit: not where that was reset since.
local function still_counts(forgotten_keys, granted_us)
  local counts = {}
  for index, forgotten_key in ipairs(forgotten_keys) do
    counts[index] = granted_us > (tonumber(redis.call("GET", forgotten_key) or 0) or 0)
  end
  return counts
end
