-- A score that orders by due time and, within one millisecond, by arrival.
--
-- Beyond 4,096 jobs in one millisecond the last place is shared.
local function delayed_score(queue, due_ms)
  local lowest = due_ms * 4096
  local highest = lowest + 4095
  local range = { highest, lowest, "WITHSCORES", "LIMIT", 0, 1 }
  local last = redis.call("ZREVRANGEBYSCORE", queue.delayed_key, unpack(range))
  return last[2] and math.min(tonumber(last[2]) + 1, highest) or lowest
end
