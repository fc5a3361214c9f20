-- Add an event about a job to the stream.
local function announce(queue, event, job_id, ...)
  redis.call("XADD", queue.events_key, "*", "event", event, "jobId", job_id, ...)
end
