-- @include job_fields

-- Whether there is a job with this id. Schedulers and kept jobs have a name, too, but no timestamp.
local function is_job(base, job_id)
  local fields = job_fields({ base = base }, job_id, "timestamp")
  return fields ~= nil and fields[1] ~= false
end
