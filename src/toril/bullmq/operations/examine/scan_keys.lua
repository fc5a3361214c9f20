-- Find some of the keys of a queue; a walk through all of them takes many calls.
--
-- keys    meta_key   settings of the queue: decides which node is asked
-- args    pattern    what the keys look like
--         cursor     where the walk is; 0 to begin it
--         count      how many keys of the server to look at
-- reply   {1, cursor, {key, ...}}   a cursor of 0 ends the walk
local meta_key = unpack(KEYS)
local pattern, cursor, count = unpack(ARGV)

local FOUND = 1

redis.call("EXISTS", meta_key)
local found = redis.call("SCAN", cursor, "MATCH", pattern, "COUNT", count)
return { FOUND, found[1], found[2] }
