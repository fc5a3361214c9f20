-- Prolong the lease on loading, while the loader runs.
--
-- By PEXPIRE: a server out of memory refuses to SET.
--
-- keys    lease_key   token of who loads
-- args    token       that has the lease
--         lease_ms    from now on
-- reply   {1}   prolonged
--         {0}   it is gone
local lease_key = unpack(KEYS)
local token, lease_ms = unpack(ARGV)

local RENEWED, GONE = 1, 0

if redis.call("GET", lease_key) ~= token then
  return { GONE }
end
redis.call("PEXPIRE", lease_key, lease_ms)
return { RENEWED }
