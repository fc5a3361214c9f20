-- Count ends of one kind at one moment. The first ones of a new minute close the one before, and are
-- not in its count; in the minutes that have passed since, nothing ended.
local function count_minute(metrics_key, count, claim)
  local before = redis.call("HINCRBY", metrics_key, "count", count) - count
  local stored = redis.call("HMGET", metrics_key, "prevTS", "prevCount")
  local passed = math.floor(claim.now / 60000) - math.floor((stored[1] or claim.now) / 60000)
  if passed > 0 then
    local data_key = metrics_key .. ":data"
    redis.call("LPUSH", data_key, before - (stored[2] or 0))
    for _ = 2, math.min(passed, claim.metrics_size) do
      redis.call("LPUSH", data_key, "0")
    end
    redis.call("LTRIM", data_key, 0, claim.metrics_size - 1)
  end
  if passed > 0 or not stored[1] then
    redis.call("HSET", metrics_key, "prevTS", claim.now, "prevCount", before)
  end
end
