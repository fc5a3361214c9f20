-- Give a new job an id: its own, or the next number. False when its own is taken already.
--
-- The number goes up for every job, whether it becomes the id or not. One that is taken already
-- (the counter was lost once) is passed over: a new job never overwrites another.
local function give_id(queue, job)
  local number = redis.call("INCR", queue.id_key)
  if job.id and job.id ~= "" then
    return redis.call("EXISTS", queue.base .. job.id) == 0
  end
  while redis.call("EXISTS", queue.base .. string.format("%.0f", number)) == 1 do
    number = redis.call("INCR", queue.id_key)
  end
  job.id = string.format("%.0f", number)
  return true
end
