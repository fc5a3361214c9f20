-- A score that orders by priority, the smaller first, and within one priority by arrival.
local function priority_score(queue, priority)
  local arrival = redis.call("INCR", queue.pc_key)
  return priority * 4294967296 + arrival % 4294967296
end
