-- Prolong a lease that is still good; it never ends earlier than it would have.
--
-- keys    holders_key   sorted set: token, end of its lease in us
-- args    token         whose lease
--         lease_us      length of the lease from now, at least
-- reply   1             prolonged
--         0             it is over
local holders_key = unpack(KEYS)
local token, lease_us = unpack(ARGV)

-- @include now_us

local RENEWED, LOST = 1, 0

local now = now_us()
local lease_end = tonumber(redis.call("ZSCORE", holders_key, token) or 0)
if lease_end <= now then
  return LOST
end
-- First what a server out of memory does not refuse; then it does not refuse the rest.
local lease_ms = math.ceil(lease_us / 1000)
redis.call("PEXPIRE", holders_key, math.max(redis.call("PTTL", holders_key), lease_ms))
redis.call("ZADD", holders_key, math.max(lease_end, now + lease_us), token)
return RENEWED
