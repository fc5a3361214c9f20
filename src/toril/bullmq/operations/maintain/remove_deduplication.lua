-- Let the next job with a deduplication id in, whoever owns the id.
--
-- The owner itself stays, and so does a job that is kept back for its end.
--
-- keys    deduplication_key   the job that owns the id
-- reply   {1, 0|1}            whether somebody owned it
local deduplication_key = unpack(KEYS)

local REMOVED = 1

return { REMOVED, redis.call("DEL", deduplication_key) }
