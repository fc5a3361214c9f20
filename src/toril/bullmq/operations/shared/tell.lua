-- Add an event about a job to the stream, and keep the stream at about its length.
local function tell(queue, meta, event, job_id, ...)
  local entry = { "event", event, "jobId", job_id, ... }
  redis.call("XADD", queue.events_key, "MAXLEN", "~", meta.max_events, "*", unpack(entry))
end
