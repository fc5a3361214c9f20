-- Whether anybody has opened the queue with this settings key.
--
-- keys    meta_key   settings of the queue
-- reply   {1, 0|1}
local meta_key = unpack(KEYS)

local LOOKED = 1

return { LOOKED, redis.call("EXISTS", meta_key) }
