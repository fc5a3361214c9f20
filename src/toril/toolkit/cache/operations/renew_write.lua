-- Prolong the time of a writer, while its change goes on.
--
-- keys    writers_key   hash, see living_writers
-- args    token         of this writer
--         length_ms     from now on
-- reply   {1}   prolonged
--         {0}   it is not listed any more
local writers_key = unpack(KEYS)
local token, length_ms = unpack(ARGV)

-- @include now_us
-- @include whole
-- @include living_writers
-- @include stay_writer

local RENEWED, GONE = 1, 0

local time_us = now_us()
local writer = living_writers(writers_key, time_us)[token]
if not writer then
  return { GONE }
end
writer.ends_us = whole(time_us + length_ms * 1000)
stay_writer(writers_key, token, writer, length_ms)
return { RENEWED }
