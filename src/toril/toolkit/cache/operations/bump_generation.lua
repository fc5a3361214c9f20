-- Begin a new generation: all that was stored under the one before is invalid, however much it is.
--
-- keys    generation_key
-- args    keep_ms   how long it is kept from its last use
-- reply   {1}
local generation_key = unpack(KEYS)
local keep_ms = unpack(ARGV)

-- @include now_us
-- @include whole

local BUMPED = 1

-- Later than every generation that ever was under this key, lost ones included.
local before = tonumber(redis.call("GET", generation_key) or 0)
redis.call("SET", generation_key, whole(math.max(now_us(), before + 1)), "PX", keep_ms)
return { BUMPED }
