-- Let no job start for a while, as if the rate limit were used up; or end that, and wake a worker.
--
-- keys    limiter_key   jobs started in this period; then the other keys of the queue
-- args    base          what the keys of the queue start with
--         duration_ms   from now on; 0 begins a new period at once
-- reply   {1}
local limiter_key = unpack(KEYS)
local base, duration_ms = unpack(ARGV)

-- @include queue_at
-- @include read_meta
-- @include ring_for_ready

local DONE = 1
-- What other clients write here, and so the number they expect of a limit by hand.
local USED_UP = "9007199254740991"

local queue = queue_at(base)
-- Looked at for their types: nothing may raise after the first write.
local meta = read_meta(queue)
redis.call("LLEN", meta.list_key)
redis.call("ZCARD", queue.prioritized_key)
redis.call("ZCARD", queue.marker_key)

if tonumber(duration_ms) > 0 then
  redis.call("SET", limiter_key, USED_UP, "PX", duration_ms)
elseif redis.call("DEL", limiter_key) == 1 then
  ring_for_ready(queue, meta)
end
return { DONE }
