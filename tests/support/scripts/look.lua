-- Read a counter.
--
-- keys    counter_key  integer
-- reply   its value, 0 when it does not exist
local counter_key = unpack(KEYS)

return tonumber(redis.call("GET", counter_key) or 0)
