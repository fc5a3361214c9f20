-- Read the generation of a tag or of a cache; a missing one begins.
--
-- keys    generation_key
-- args    keep_ms    how long it is kept from its last use
--         begins_us  what a missing one begins with; 0 for now
-- reply   {1, generation}
local generation_key = unpack(KEYS)
local keep_ms, begins_us = unpack(ARGV)

-- @include now_us
-- @include generations_of
-- @include keep_generations

local READ = 1

begins_us = tonumber(begins_us)
local time_us = begins_us > 0 and begins_us or now_us()
local found = generations_of({ generation_key }, keep_ms, time_us)
keep_generations({ generation_key }, keep_ms)
return { READ, found }
