-- @include priority_score
-- @include ring

-- Put a job where workers take it from, and ring for one.
--
-- A job with a priority goes to the prioritized set; any other one to the list, at its `side`:
-- LPUSH is the end of the line, RPUSH is next.
local function make_ready(queue, meta, job, side)
  if job.priority == 0 then
    redis.call(side, meta.list_key, job.id)
  else
    redis.call("ZADD", queue.prioritized_key, priority_score(queue, job.priority), job.id)
  end
  ring(queue, meta)
end
