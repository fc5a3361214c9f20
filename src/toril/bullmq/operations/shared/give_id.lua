-- @include next_number

-- Give a new job an id: its own, or the next number. False when its own is taken already.
--
-- The number goes up for every job, whether it becomes the id or not. One that is taken already
-- (the counter was lost once) is passed over: a new job never overwrites another.
local function give_id(queue, job)
  local number, is_free = next_number(queue)
  if job.id and job.id ~= "" then
    return redis.call("EXISTS", queue.base .. job.id) == 0
  end
  while not is_free and redis.call("EXISTS", queue.base .. number) == 1 do
    number, is_free = next_number(queue)
  end
  job.id = number
  return true
end
