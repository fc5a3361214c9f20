-- Why a job cannot be completed: 5 children of it are pending, 6 one has failed it; nil, and it can.
-- Only looks.
local function child_trouble(queue, job_id)
  local job_key = queue.base .. job_id
  if redis.call("EXISTS", job_key .. ":dependencies") == 1 then
    return 5
  elseif redis.call("EXISTS", job_key .. ":unsuccessful") == 1 then
    return 6
  end
end
