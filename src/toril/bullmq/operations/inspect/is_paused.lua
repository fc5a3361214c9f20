-- Whether the queue is paused. That the field exists is what says so, whatever it holds.
--
-- keys    meta_key   settings of the queue
-- reply   {1, 0|1}
local meta_key = unpack(KEYS)

local LOOKED = 1

return { LOOKED, redis.call("HEXISTS", meta_key, "paused") }
