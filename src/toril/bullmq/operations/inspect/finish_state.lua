-- Whether a job has ended, how, and after which event to listen if it has not.
--
-- keys    job_key, completed_key, failed_key, events_key
-- args    job_id
-- reply   {0, last_event_id}     there is no such job
--         {1, last_event_id}     not yet
--         {2, last_event_id, return_value}
--         {3, last_event_id, reason}
local job_key, completed_key, failed_key, events_key = unpack(KEYS)
local job_id = unpack(ARGV)

local MISSING, RUNNING, COMPLETED, FAILED = 0, 1, 2, 3

local last = redis.call("XREVRANGE", events_key, "+", "-", "COUNT", 1)
local last_event_id = last[1] and last[1][1] or "0-0"
if redis.call("ZSCORE", completed_key, job_id) then
  return { COMPLETED, last_event_id, redis.call("HGET", job_key, "returnvalue") or "null" }
elseif redis.call("ZSCORE", failed_key, job_id) then
  return { FAILED, last_event_id, redis.call("HGET", job_key, "failedReason") or "" }
elseif redis.call("EXISTS", job_key) == 1 then
  return { RUNNING, last_event_id }
end
return { MISSING, last_event_id }
