-- Remove ids that have no job behind them, and ring: there may be a job behind the ids.
--
-- Rings first: a server that is out of memory refuses that, and then nothing has happened.
local function drop_ghosts(queue, ghosts)
  local ids = {}
  for _, ghost in ipairs(ghosts) do
    redis.call("ZADD", queue.marker_key, "0", "0")
    if ghost.from == queue.wait_key or ghost.from == queue.paused_key then
      redis.call("LREM", ghost.from, -1, ghost.id)
    else
      redis.call("ZREM", ghost.from, ghost.id)
    end
    ids[#ids + 1] = ghost.id
  end
  return ids
end
