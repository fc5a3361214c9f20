-- @include held_times

-- The states that hold an id, those to be believed first. Only looks.
local function states_of(queue, job_id)
  local running, waiting = { "active", "wait", "paused" }, { "prioritized", "delayed" }
  local states = {}
  for _, names in ipairs({ running, waiting, { "waiting-children", "completed", "failed" } }) do
    for _, name in ipairs(names) do
      states[#states + 1] = held_times(queue.base .. name, job_id) > 0 and name or nil
    end
  end
  return states
end
