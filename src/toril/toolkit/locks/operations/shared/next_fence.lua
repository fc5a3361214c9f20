-- A fence above every one before. Where the last one was lost, by expiry, a flush or a failover,
-- the clock is above it still. Kept for 400 days.
local function next_fence(fence_key, at_least)
  local stored = tonumber(redis.call("GET", fence_key) or 0) or 0
  local fence = math.max(stored + 1, at_least)
  redis.call("SET", fence_key, string.format("%.0f", fence), "PX", 34560000000)
  return fence
end
