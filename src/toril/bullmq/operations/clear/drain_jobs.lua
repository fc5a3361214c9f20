-- Remove jobs that wait to run, the next one first. The next jobs of schedulers stay.
--
-- keys    meta_key   settings of the queue; then those of the queue
-- args    base       what the keys of the queue start with
--         delayed    1 removes delayed jobs too
--         count      at most so many, so that the server is not held up
-- reply   {1, removed}
local meta_key = unpack(KEYS)
local base, delayed, count = unpack(ARGV)

-- @include check_types
-- @include discard_job
-- @include queue_at
-- @include scheduled_ids

local DRAINED = 1

local queue = queue_at(base)
redis.call("HLEN", meta_key)
check_types(queue)
redis.call("ZCARD", queue.waiting_children_key)
local scheduled, most_scheduled = scheduled_ids(queue)
local removed, room = 0, tonumber(count)

local function unscheduled(ids)
  local found = {}
  for _, job_id in ipairs(ids) do
    if not scheduled[job_id] and #found < room then
      found[#found + 1] = job_id
    end
  end
  return found
end

local function remove(ids, take_out)
  for _, job_id in ipairs(ids) do
    take_out(job_id)
    discard_job(queue, job_id)
  end
  removed, room = removed + #ids, room - #ids
end

-- Up to as many ids as there is room for, the next one first.
local function next_ids(key)
  local span = room + most_scheduled
  if room == 0 then
    return {}
  elseif key == queue.prioritized_key or key == queue.delayed_key then
    return redis.call("ZRANGE", key, 0, span - 1)
  end
  local ids, tail = {}, redis.call("LRANGE", key, -span, -1)
  for index = #tail, 1, -1 do
    ids[#ids + 1] = tail[index]
  end
  return ids
end

for _, key in ipairs({ queue.wait_key, queue.paused_key }) do
  remove(unscheduled(next_ids(key)), function(job_id)
    redis.call("LREM", key, -1, job_id)
  end)
end
for _, key in ipairs({ queue.prioritized_key, delayed == "1" and queue.delayed_key or nil }) do
  remove(unscheduled(next_ids(key)), function(job_id)
    redis.call("ZREM", key, job_id)
  end)
end
return { DRAINED, removed }
