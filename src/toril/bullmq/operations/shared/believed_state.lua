-- Of the states that hold a job, the first ones to be believed first, the one that it is in: a job
-- that says how it ended has.
local function believed_state(job, states)
  for _, name in ipairs(states) do
    if job.hash.finishedOn and (name == "completed" or name == "failed") then
      return name
    end
  end
  return states[1]
end
