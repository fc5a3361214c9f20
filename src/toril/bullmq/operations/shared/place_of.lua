-- The last part of the key that holds this id, nil when none does. Only looks.
local function place_of(queue, job_id)
  local sets = { "completed", "failed", "delayed", "prioritized", "waiting-children" }
  for _, name in ipairs(sets) do
    if redis.call("ZSCORE", queue.base .. name, job_id) then
      return name
    end
  end
  for _, name in ipairs({ "active", "wait", "paused" }) do
    if redis.call("LPOS", queue.base .. name, job_id) then
      return name
    end
  end
  return nil
end
