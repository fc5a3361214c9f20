-- Count who is in and who waits; changes nothing.
--
-- keys    holders_key   sorted set: token, end of its lease in us
--         alive_key     sorted set: token of who waits, until when it is believed to in us
-- reply   {holders, waiting, is_alone}  1 when the one who is in is alone
local holders_key, alive_key = unpack(KEYS)

-- @include now_us
-- @include is_alone

local later = string.format("(%.0f", now_us())
local holders = redis.call("ZCOUNT", holders_key, later, "+inf")
local first = redis.call("ZRANGEBYSCORE", holders_key, later, "+inf", "LIMIT", 0, 1)[1]
local waiting = redis.call("ZCOUNT", alive_key, later, "+inf")
return { holders, waiting, first and is_alone(first) and 1 or 0 }
