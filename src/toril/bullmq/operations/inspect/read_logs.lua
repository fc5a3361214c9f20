-- Read a part of the log of a job.
--
-- keys    logs_key, job_key
-- args    first, last   places in the log; negative ones count from its end
-- reply   {1, total, {row, ...}}   in the order they were written
--         {0}                      there is no such job
local logs_key, job_key = unpack(KEYS)
local first, last = unpack(ARGV)

local MISSING, READ = 0, 1

if redis.call("EXISTS", job_key) == 0 then
  return { MISSING }
end
local rows = redis.call("LRANGE", logs_key, first, last)
return { READ, redis.call("LLEN", logs_key), rows }
