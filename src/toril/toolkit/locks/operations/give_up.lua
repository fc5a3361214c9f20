-- See to it that a token neither holds a lock nor waits for it.
--
-- In doubt, a request of this token may still be on its way: it is remembered for a minute, so that
-- it gets nothing. Whoever leaves the line passes on a wake-up that may have been meant for it.
--
-- keys    lock_key     who holds it
--         waiters_key  who waits, by arrival; the channel
--         seen_key     who waits, by when they are given up
--         spent_key    tokens that were given up
-- args    token        whose
--         member       of the line
--         is_in_doubt  1 or 0
-- reply   1
local lock_key, waiters_key, seen_key, spent_key = unpack(KEYS)
local token, member, is_in_doubt = unpack(ARGV)

-- @include owner_of
-- @include now_us
-- @include wake_first

local owner = owner_of(lock_key)
if owner == token then
  redis.call("DEL", lock_key)
end
redis.call("ZREM", waiters_key, member)
redis.call("ZREM", seen_key, member)
if is_in_doubt == "1" then
  local now = now_us()
  -- A server out of memory refuses to remember; then nothing is acquired there either.
  redis.pcall("ZADD", spent_key, now + 60000000, token)
  redis.call("ZREMRANGEBYSCORE", spent_key, "-inf", now)
  redis.call("PEXPIRE", spent_key, 60000)
end
if not owner or owner == token then
  wake_first(waiters_key, seen_key)
end
return 1
