-- Where a job with this hash is when it has ended; nil when it has not.
local function ended_key_of(queue, hash)
  if not hash.finishedOn then
    return nil
  end
  return hash.returnvalue and queue.completed_key or hash.failedReason and queue.failed_key
end
