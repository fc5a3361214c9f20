-- Read some of the ids that a list or a sorted set holds.
--
-- keys    members_key
-- args    first      place of the first one
--         last       place of the last one
-- reply   {1, type, {id, ...}}          of a list
--         {1, type, {id, score, ...}}   of a sorted set; empty for any other type
local members_key = unpack(KEYS)
local first, last = unpack(ARGV)

local READ = 1

local kind = redis.call("TYPE", members_key).ok
local members = {}
if kind == "list" then
  members = redis.call("LRANGE", members_key, first, last)
elseif kind == "zset" then
  members = redis.call("ZRANGE", members_key, first, last, "WITHSCORES")
end
return { READ, kind, members }
