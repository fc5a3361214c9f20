-- @include due_in_ms
-- @include due_jobs
-- @include promote

-- Make delayed jobs ready that have come due. Returns the milliseconds until the next one does, nil
-- without one; and the places of delayed jobs that do not exist.
local function make_due_ready(queue, meta, now)
  local next_ms = due_in_ms(queue, now)
  if not next_ms or next_ms > 0 then
    return next_ms, {}
  end
  local due, ghosts = due_jobs(queue, now)
  promote(queue, meta, due)
  return due_in_ms(queue, now), ghosts
end
