-- Let a lock go that this token holds, and tell the one whose turn it is.
--
-- keys    lock_key     who holds it
--         waiters_key  who waits, by arrival; the channel
--         seen_key     who waits, by when they are given up
-- args    token        whose it is
-- reply   1, or 0 when it was not its any more
local lock_key, waiters_key, seen_key = unpack(KEYS)
local token = unpack(ARGV)

-- @include owner_of
-- @include wake_first

if owner_of(lock_key) ~= token then
  return 0
end
redis.call("DEL", lock_key)
wake_first(waiters_key, seen_key)
return 1
