-- Forget all that was granted under the limits of a key: debts and reserved slots, too.
--
-- keys    first_key   of one limit
-- args    packed      msgpack: the keys of the other limits, which are declared behind it
-- reply   {1}         done
local first_key = unpack(KEYS)
local packed = unpack(ARGV)

local DONE = 1

redis.call("DEL", first_key, unpack(cmsgpack.unpack(packed)))
return { DONE }
