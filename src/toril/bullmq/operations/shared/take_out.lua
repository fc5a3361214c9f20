-- Take an id out of the key that holds it. Returns the last part of that key, nil when none does.
local function take_out(queue, job_id)
  for _, name in ipairs({ "completed", "waiting-children", "delayed", "failed", "prioritized" }) do
    if redis.call("ZREM", queue.base .. name, job_id) == 1 then
      return name
    end
  end
  for _, name in ipairs({ "wait", "paused", "active" }) do
    if redis.call("LREM", queue.base .. name, 0, job_id) > 0 then
      return name
    end
  end
  return nil
end
