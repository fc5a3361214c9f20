-- @include detach_child
-- @include forget_deduplication
-- @include job_keys
-- @include parent_of

-- Remove a job for good with all that belongs to it, and tell nobody. The caller takes its id from
-- where it is.
--
-- A parent in the same queue that waited for no other child goes too; one elsewhere runs next.
local function discard_job(queue, job_id)
  local parent = parent_of(queue, job_id)
  forget_deduplication(queue, job_id)
  redis.call("DEL", unpack(job_keys(queue, job_id)))
  if not parent then
    return
  end
  local child_key = queue.base .. job_id
  if parent.queue.base ~= queue.base then
    detach_child(parent, child_key)
  elseif
    redis.call("SREM", parent.key .. ":dependencies", child_key) == 1
    and redis.call("SCARD", parent.key .. ":dependencies") == 0
    and redis.call("ZREM", queue.waiting_children_key, parent.id) == 1
  then
    discard_job(queue, parent.id)
  end
end
