-- The ids of the next jobs of all schedulers, each with true: without its next job a scheduler
-- would never make another. Only looks.
local function scheduled_ids(queue)
  local ids = {}
  local found = redis.call("ZRANGE", queue.base .. "repeat", 0, -1, "WITHSCORES")
  for index = 1, #found, 2 do
    ids["repeat:" .. found[index] .. ":" .. found[index + 1]] = true
  end
  return ids, #found / 2
end
