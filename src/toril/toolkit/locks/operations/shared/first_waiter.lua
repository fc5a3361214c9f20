-- The waiter whose turn it is, and since when it waits; those in front of it that have not been
-- heard of for too long are gone. The third value says whether there were such.
local function first_waiter(waiters_key, seen_key, now)
  local has_dropped = false
  for _ = 1, 1000 do
    local first = redis.call("ZRANGE", waiters_key, 0, 0, "WITHSCORES")
    if not first[1] then
      break
    end
    local seen_until = redis.call("ZSCORE", seen_key, first[1])
    if seen_until and tonumber(seen_until) >= now then
      return first[1], tonumber(first[2]), has_dropped
    end
    redis.call("ZREM", waiters_key, first[1])
    redis.call("ZREM", seen_key, first[1])
    has_dropped = true
  end
  return nil, nil, has_dropped
end
