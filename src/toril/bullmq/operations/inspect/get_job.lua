-- Read a job whole.
--
-- keys    job_key   the hash of the job
-- reply   {1, hash}   as a flat list of fields and values
--         {0}         there is no such job
local job_key = unpack(KEYS)

local MISSING, FOUND = 0, 1

local hash = redis.call("HGETALL", job_key)
if #hash == 0 then
  return { MISSING }
end
return { FOUND, hash }
