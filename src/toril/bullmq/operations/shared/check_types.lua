-- @include whole

-- Raise before anything is written when a key that a job may be put into holds a foreign type.
--
-- For what is not read anyway before the first write: a script that raises half-way keeps what it
-- has written.
local function check_types(queue)
  redis.call("LLEN", queue.wait_key)
  redis.call("LLEN", queue.paused_key)
  redis.call("ZCARD", queue.prioritized_key)
  redis.call("ZCARD", queue.delayed_key)
  redis.call("ZCARD", queue.marker_key)
  redis.call("XLEN", queue.events_key)
  if not whole(redis.call("GET", queue.pc_key) or "0") then
    error("the priority counter is not a number")
  end
end
