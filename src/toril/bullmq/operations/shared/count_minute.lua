-- @include close_minutes

-- Count ends of one kind at one moment. The first ones of a new minute close the one before, and are
-- not in its count.
local function count_minute(metrics_key, count, claim)
  local before = redis.call("HINCRBY", metrics_key, "count", count) - count
  local stored = redis.call("HMGET", metrics_key, "prevTS", "prevCount")
  local passed = math.floor(claim.now / 60000) - math.floor((stored[1] or claim.now) / 60000)
  if passed > 0 then
    local minutes = math.min(passed, claim.metrics_size)
    close_minutes(metrics_key .. ":data", before - (stored[2] or 0), minutes, claim.metrics_size)
  end
  if passed > 0 or not stored[1] then
    redis.call("HSET", metrics_key, "prevTS", claim.now, "prevCount", before)
  end
end
