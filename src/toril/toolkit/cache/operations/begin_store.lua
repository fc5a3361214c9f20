-- Read what a value that is about to be stored depends on; changes nothing of the entry.
--
-- keys    changed_key   when the entry was last changed
-- args    generations   msgpack: the keys of generations to read along, where they are at hand
--         keep_ms       how long those are kept
-- reply   {1, changed, generations}   changed is empty when that was not lately
local changed_key = unpack(KEYS)
local generations, keep_ms = unpack(ARGV)

-- @include now_us
-- @include generations_of
-- @include keep_generations

local READ = 1

local changed = redis.call("GET", changed_key) or ""
local generation_keys = cmsgpack.unpack(generations)
local found = generations_of(generation_keys, keep_ms, now_us())
keep_generations(generation_keys, keep_ms)
return { READ, changed, found }
