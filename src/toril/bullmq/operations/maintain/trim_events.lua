-- Keep about so many of the newest entries of the event stream.
--
-- keys    events_key
-- args    max_length
-- reply   {1, removed}
local events_key = unpack(KEYS)
local max_length = unpack(ARGV)

local TRIMMED = 1

return { TRIMMED, redis.call("XTRIM", events_key, "MAXLEN", "~", max_length) }
