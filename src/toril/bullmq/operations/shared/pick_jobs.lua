-- @include read_place

-- Read the jobs at these places, until their hashes together pass a number of bytes; a place
-- without a job behind it is added to `ghosts`. Only looks.
local function pick_jobs(queue, places, max_bytes, ghosts)
  local jobs, total = {}, 0
  for _, place in ipairs(places) do
    local bytes = read_place(queue, place)
    if bytes then
      total = total + bytes
      if #jobs > 0 and total > max_bytes then
        break
      end
      jobs[#jobs + 1] = place
    else
      ghosts[#ghosts + 1] = place
    end
  end
  return jobs
end
