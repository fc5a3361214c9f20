-- Forget the log of a job, but for its newest rows.
--
-- keys    logs_key, job_key
-- args    keep       how many rows stay
-- reply   {1}        done
--         {0}        there is no such job
local logs_key, job_key = unpack(KEYS)
local keep = unpack(ARGV)

local MISSING, DONE = 0, 1

if redis.call("EXISTS", job_key) == 0 then
  return { MISSING }
elseif tonumber(keep) > 0 then
  redis.call("LTRIM", logs_key, -keep, -1)
else
  redis.call("DEL", logs_key)
end
return { DONE }
