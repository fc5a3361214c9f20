-- Take a lock from whoever holds it, and tell the one whose turn it is.
--
-- keys    lock_key     who holds it
--         waiters_key  who waits, by arrival; the channel
--         seen_key     who waits, by when they are given up
-- reply   1, or 0 when nobody held it
local lock_key, waiters_key, seen_key = unpack(KEYS)

-- @include wake_first

local was_held = redis.call("DEL", lock_key)
if was_held == 1 then
  wake_first(waiters_key, seen_key)
end
return was_held
