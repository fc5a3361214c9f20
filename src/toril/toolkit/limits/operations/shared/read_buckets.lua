-- The counts of a stored text such as `17:3 18:1`, by bucket, and the newest of them; or `here`.
local function read_buckets(key, here)
  local counts, newest = {}, here
  for text, count in string.gmatch(redis.call("GET", key) or "", "(%d+):(%d+)") do
    local bucket = tonumber(text)
    counts[bucket] = tonumber(count)
    newest = math.max(newest, bucket)
  end
  return counts, newest
end
