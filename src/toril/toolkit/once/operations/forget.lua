-- Forget how a key ended; a run that goes on is left alone.
--
-- keys    run_key   hash {owner, state, value}
-- reply   1         forgotten
--         0         nothing was kept
local run_key = unpack(KEYS)

local FORGOTTEN, NOTHING = 1, 0

local state = redis.call("HGET", run_key, "state")
if not state or state == "running" then
  return NOTHING
end
redis.call("DEL", run_key)
return FORGOTTEN
