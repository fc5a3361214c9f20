-- Some fields of a job, or nil when there is no such job.
--
-- A key of another type counts as no job: it is somebody else's, and reading must not raise.
local function job_fields(queue, job_id, ...)
  local values = redis.pcall("HMGET", queue.base .. job_id, "name", "timestamp", ...)
  if values.err or not (values[1] or values[2]) then
    return nil
  end
  return { unpack(values, 3, 2 + select("#", ...)) }
end
