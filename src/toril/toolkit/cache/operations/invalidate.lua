-- Remove an entry, and take away the lease of whoever loads it from what was before.
--
-- keys    value_key .. lease_key   the entry
-- reply   {removed}   whether there was a value
local value_key, marker_key, lease_key = unpack(KEYS)

local removed = redis.call("DEL", value_key)
redis.call("DEL", marker_key, lease_key)
return { removed }
