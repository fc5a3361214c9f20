-- @include detach_child
-- @include forget_deduplication
-- @include job_keys
-- @include read_meta
-- @include take_out
-- @include tell

-- Remove a job after its children, each after its own, and tell everybody. Returns how many went.
--
-- A job leaves its parent first, even one that goes next: whoever listens hears that it was released.
local function remove_family(job)
  if job.parent then
    detach_child(job.parent, job.key)
  end
  local count = 0
  for _, child in ipairs(job.children) do
    count = count + remove_family(child)
  end
  if not job.is_there then
    return count
  end
  local place = take_out(job.queue, job.id)
  if place == "active" then
    redis.call("SREM", job.queue.stalled_key, job.id)
  end
  forget_deduplication(job.queue, job.id)
  if redis.call("DEL", unpack(job_keys(job.queue, job.id))) == 0 then
    return count
  end
  tell(job.queue, read_meta(job.queue), "removed", job.id, "prev", place or "unknown")
  return count + 1
end
