-- Read a job whole. What else may lie under such a key, of the queue itself or of a scheduler, has no
-- timestamp, and is no job.
--
-- keys    job_key   the hash of the job
-- reply   {1, hash}   as a flat list of fields and values
--         {0}         there is no such job
local job_key = unpack(KEYS)

local MISSING, FOUND = 0, 1

if redis.call("TYPE", job_key).ok ~= "hash" or redis.call("HEXISTS", job_key, "timestamp") == 0 then
  return { MISSING }
end
return { FOUND, redis.call("HGETALL", job_key) }
