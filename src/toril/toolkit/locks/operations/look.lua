-- Who holds a lock, and how many wait for it.
--
-- keys    lock_key  who holds it
--         seen_key  who waits, by when they are given up
-- reply   {held, ms, waiters}  what is stored and for how long, or false and 0
local lock_key, seen_key = unpack(KEYS)

-- @include now_us

local held = redis.call("GET", lock_key)
local left_ms = held and redis.call("PTTL", lock_key) or 0
return { held, left_ms, redis.call("ZCOUNT", seen_key, string.format("%.0f", now_us()), "+inf") }
