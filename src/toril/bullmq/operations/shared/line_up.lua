-- @include make_ready

-- Let a new job wait for a worker: at once when it has a priority, with the others of the same
-- request when it goes to the list (see `let_in`).
local function line_up(queue, meta, job)
  if job.priority and job.priority > 0 then
    make_ready(queue, meta, job)
    return
  end
  queue.line = queue.line or { LPUSH = {}, RPUSH = {} }
  local ids = queue.line[job.lifo and "RPUSH" or "LPUSH"]
  ids[#ids + 1] = job.id
end
