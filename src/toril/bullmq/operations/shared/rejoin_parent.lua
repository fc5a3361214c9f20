-- Let the parent of a finished job wait for it again, as it is to run once more.
--
-- Does nothing for a parent that is gone. What the parent noted of the job's end may hold a foreign
-- type, or lie beyond the reach of this script: then it stays.
local function rejoin_parent(job_key, parent_key, ended_as)
  if not parent_key or redis.pcall("EXISTS", parent_key) ~= 1 then
    return
  end
  local noted
  if ended_as == "completed" then
    noted = redis.pcall("HDEL", parent_key .. ":processed", job_key)
  else
    noted = redis.pcall("ZREM", parent_key .. ":unsuccessful", job_key)
    if noted ~= 1 then
      noted = redis.pcall("HDEL", parent_key .. ":failed", job_key)
    end
  end
  if noted == 1 then
    redis.pcall("SADD", parent_key .. ":dependencies", job_key)
  end
end
