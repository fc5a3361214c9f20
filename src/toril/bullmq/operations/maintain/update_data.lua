-- Give a job other data, wherever it is.
--
-- keys    job_key   the hash of the job
-- args    base      what the keys of the queue start with
--         job_id
--         data      JSON
-- reply   {1}       stored
--         {0}       there is no such job
local job_key = unpack(KEYS)
local base, job_id, data = unpack(ARGV)

-- @include is_job

local MISSING, STORED = 0, 1

if not is_job(base, job_id) then
  return { MISSING }
end
redis.call("HSET", job_key, "data", data)
return { STORED }
