-- Begin to change what an entry is made of: from now on nothing is there, and nothing is stored.
--
-- So neither can a reader put back what it has read before the change, nor is the old value left
-- if the writer dies. Another arrival of the same request changes nothing.
--
-- keys    value_key .. lease_key   the entry
--         writers_key   hash: when each writer ends, and who came last
-- args    token         of this writer
--         length_ms     how long it may take, unless it asks for more
--         generations   msgpack: the keys of generations to read along, where they are at hand
--         keep_ms       how long those are kept
-- reply   {alone, generations}   whether nobody else was writing
local value_key, marker_key, lease_key, writers_key = unpack(KEYS)
local token, length_ms, generations, keep_ms = unpack(ARGV)

-- @include now_us
-- @include generations_of
-- @include drop_ended
-- @include stay_writer

local time_us = now_us()
local others = drop_ended(writers_key, time_us)
local found = generations_of(cmsgpack.unpack(generations), tonumber(keep_ms), time_us)
if redis.call("HEXISTS", writers_key, token) == 1 then
  others = others - 1
else
  redis.call("DEL", value_key, marker_key, lease_key)
  redis.call("HSET", writers_key, "last", token)
end
stay_writer(writers_key, token, length_ms, time_us)
return { others == 0 and 1 or 0, found }
