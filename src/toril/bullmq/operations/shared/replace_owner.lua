-- @include announce
-- @include job_keys
-- @include tell_deduplicated

-- Remove a delayed job in favour of a new one with the same deduplication id; false when it is not
-- delayed.
local function replace_owner(queue, meta, job, owner)
  if redis.call("ZREM", queue.delayed_key, owner) == 0 then
    return false
  end
  redis.call("DEL", unpack(job_keys(queue, owner)))
  announce(queue, "removed", owner, "prev", "delayed")
  tell_deduplicated(queue, meta, job.deduplication.id, job.id, owner)
  return true
end
