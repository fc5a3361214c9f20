-- Add a row to the log of a job, and keep the newest rows only.
--
-- keys    job_key, logs_key
-- args    row
--         keep   how many rows to keep
-- reply   {1, rows} stored, and how many there are now     {0} there is no such job
local job_key, logs_key = unpack(KEYS)
local row, keep = unpack(ARGV)

local MISSING, STORED = 0, 1

if redis.call("EXISTS", job_key) == 0 then
  return { MISSING }
end
local rows = redis.call("RPUSH", logs_key, row)
redis.call("LTRIM", logs_key, -keep, -1)
return { STORED, math.min(rows, tonumber(keep)) }
