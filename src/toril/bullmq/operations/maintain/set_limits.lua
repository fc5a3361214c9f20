-- Change the limits that hold for all workers of a queue together, and wake one of them for it.
--
-- The limits stand in the settings; each is a number, 0 for none, or -1 to leave it as it is. Who
-- sleeps because of the old ones would notice by itself only when its wait is over.
--
-- keys    meta_key      settings of the queue; then its other keys
-- args    base          what the keys of the queue start with
--         concurrency   how many jobs may be active
--         max           how many jobs may start
--         duration_ms   in how long
-- reply   {1}
local meta_key = unpack(KEYS)
local base, concurrency, max, duration_ms = unpack(ARGV)

-- @include queue_at
-- @include read_meta
-- @include ring_for_ready

local DONE = 1

local function change(field, value)
  if value == "0" then
    redis.call("HDEL", meta_key, field)
  elseif value ~= "-1" then
    redis.call("HSET", meta_key, field, value)
  end
end

local queue = queue_at(base)
-- Looked at for their types: nothing may raise after the first write.
for _, list_key in ipairs({ queue.wait_key, queue.paused_key, queue.active_key }) do
  redis.call("LLEN", list_key)
end
redis.call("ZCARD", queue.prioritized_key)
redis.call("ZCARD", queue.marker_key)

change("concurrency", concurrency)
change("max", max)
change("duration", duration_ms)
ring_for_ready(queue, read_meta(queue))
return { DONE }
