-- Store how far a job has come, and tell everybody.
--
-- keys    job_key, events_key, meta_key
-- args    job_id
--         progress   JSON
-- reply   {1} stored     {0} there is no such job
local job_key, events_key, meta_key = unpack(KEYS)
local job_id, progress = unpack(ARGV)

-- @include most_events
-- @include tell

local MISSING, STORED = 0, 1

if redis.call("EXISTS", job_key) == 0 then
  return { MISSING }
end
local max_events = most_events(redis.call("HGET", meta_key, "opts.maxLenEvents"))
-- Looked at for its type: nothing may raise after the first write.
redis.call("XLEN", events_key)
redis.call("HSET", job_key, "progress", progress)
tell({ events_key = events_key }, { max_events = max_events }, "progress", job_id, "data", progress)
return { STORED }
