-- @include delayed_score
-- @include ring_for_delayed
-- @include tell

-- Put a job among the delayed ones, due at `due_ms`.
local function put_off(queue, meta, job_id, due_ms)
  redis.call("ZADD", queue.delayed_key, delayed_score(queue, due_ms), job_id)
  tell(queue, meta, "delayed", job_id, "delay", due_ms)
  ring_for_delayed(queue)
end
