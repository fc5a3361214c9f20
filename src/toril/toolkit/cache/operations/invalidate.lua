-- Remove an entry, and take away the lease of whoever loads it from what was before.
--
-- Whoever is changing it now may return what is older than this, so that is not stored either.
--
-- keys    value_key .. lease_key   the entry
--         writers_key   hash, see living_writers
--         changed_key   when the entry was last changed
-- reply   {removed}   whether there was a value
local value_key, marker_key, lease_key, writers_key, changed_key = unpack(KEYS)

-- @include now_us
-- @include whole
-- @include living_writers
-- @include overtake
-- @include note_change

local time_us = now_us()
local writers, count = living_writers(writers_key, time_us)
local removed = redis.call("DEL", value_key)
redis.call("DEL", marker_key, lease_key)
note_change(changed_key, time_us)
if count > 0 then
  overtake(writers_key, writers, "plain")
  redis.call("HSET", writers_key, "state", "invalidated " .. whole(time_us))
end
return { removed }
