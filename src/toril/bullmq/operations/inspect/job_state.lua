-- Where a job is.
--
-- keys    job_key   the hash of the job
-- args    base      what the keys of the queue start with
--         job_id
-- reply   {1, place}   the last part of the key that holds the id; "" when none does
--         {0}          there is no such job
local job_key = unpack(KEYS)
local base, job_id = unpack(ARGV)

-- @include place_of
-- @include queue_at

local MISSING, FOUND = 0, 1

if redis.call("EXISTS", job_key) == 0 then
  return { MISSING }
end
return { FOUND, place_of(queue_at(base), job_id) or "" }
