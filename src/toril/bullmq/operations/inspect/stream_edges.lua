-- The first and the last event that the queue keeps.
--
-- keys    events_key
-- reply   {1, first_id, last_id}
--         {0}   it keeps none
local events_key = unpack(KEYS)

local NONE, FOUND = 0, 1

local first = redis.call("XRANGE", events_key, "-", "+", "COUNT", 1)
local last = redis.call("XREVRANGE", events_key, "+", "-", "COUNT", 1)
if not first[1] then
  return { NONE }
end
return { FOUND, first[1][1], last[1][1] }
