-- Prolong the lease of a run; never begins one that is gone.
--
-- keys    run_key   hash {owner, state, value}
-- args    owner     who began it
--         lease_ms  length of the lease from now
-- reply   1         prolonged
--         0         it is gone, another's, or has ended
local run_key = unpack(KEYS)
local owner, lease_ms = unpack(ARGV)

-- @include is_running

local RENEWED, LOST = 1, 0

if not is_running(run_key, owner) then
  return LOST
end
redis.call("PEXPIRE", run_key, lease_ms)
return RENEWED
