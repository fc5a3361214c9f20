-- @include check_new_jobs

-- Raise before anything is written when a key that the end of a job needs holds a foreign type:
-- the sets of ends and, when an end `may_add` a job, what a new job needs.
local function check_ends(queue, may_add)
  redis.call("ZCARD", queue.completed_key)
  redis.call("ZCARD", queue.failed_key)
  if may_add then
    check_new_jobs(queue)
  end
end
