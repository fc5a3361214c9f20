-- Hold a lock for at least so long from now, if this token holds it.
--
-- By PEXPIRE, which a server out of memory does not refuse; it makes nothing that is not there.
--
-- keys    lock_key  who holds it
-- args    token     whose it is
--         ttl_ms    how long from now
-- reply   1, or 0 when it is not its any more
local lock_key = unpack(KEYS)
local token, ttl_ms = unpack(ARGV)

-- @include owner_of

if owner_of(lock_key) ~= token then
  return 0
end
if redis.call("PTTL", lock_key) < tonumber(ttl_ms) then
  redis.call("PEXPIRE", lock_key, ttl_ms)
end
return 1
