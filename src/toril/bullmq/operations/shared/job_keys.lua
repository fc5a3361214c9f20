-- Every key that belongs to a job but its lock.
local function job_keys(queue, job_id)
  local key = queue.base .. job_id
  return {
    key,
    key .. ":logs",
    key .. ":dependencies",
    key .. ":processed",
    key .. ":failed",
    key .. ":unsuccessful",
  }
end
