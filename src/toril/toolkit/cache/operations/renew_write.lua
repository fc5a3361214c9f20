-- Prolong the time of a writer, while its change goes on.
--
-- keys    writers_key   hash: when each writer ends, and who came last
-- args    token         of this writer
--         length_ms     from now on
-- reply   {1}   prolonged
--         {0}   it is not listed any more
local writers_key = unpack(KEYS)
local token, length_ms = unpack(ARGV)

-- @include now_us
-- @include stay_writer

local RENEWED, GONE = 1, 0

if redis.call("HEXISTS", writers_key, token) == 0 then
  return { GONE }
end
stay_writer(writers_key, token, length_ms, now_us())
return { RENEWED }
