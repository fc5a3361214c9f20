-- Which job owns a deduplication id, whether it still is in the queue or not.
--
-- keys    deduplication_key   the job that owns the id
-- reply   {1, job_id}     {0} nobody owns it
local deduplication_key = unpack(KEYS)

local FREE, OWNED = 0, 1

local owner = redis.call("GET", deduplication_key)
return owner and { OWNED, owner } or { FREE }
