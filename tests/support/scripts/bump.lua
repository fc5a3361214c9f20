-- Add to a counter, every time it is asked to.
--
-- keys    counter_key  integer
-- args    by           what to add
-- reply   the sum
local counter_key = unpack(KEYS)
local by = unpack(ARGV)

return redis.call("INCRBY", counter_key, by)
