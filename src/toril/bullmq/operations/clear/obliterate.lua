-- Remove a queue: its jobs some at a time, and when none is left, everything else.
--
-- The queue is paused from the first call on, so that no worker takes what is about to go. What
-- holds a foreign type goes as well.
--
-- keys    meta_key   settings of the queue; then those of the queue
-- args    base       what the keys of the queue start with
--         force      1 removes running jobs too; their workers lose their leases
--         count      at most so many jobs, so that the server is not held up
-- reply   {1}        all is gone
--         {2}        there is more to remove
--         {0, jobs}  so many jobs run; nothing was done
local meta_key = unpack(KEYS)
local base, force, count = unpack(ARGV)

-- @include discard_job
-- @include queue_at

local BUSY, GONE, MORE = 0, 1, 2
local PLACES = {
  { name = "active", is_list = true },
  { name = "wait", is_list = true },
  { name = "paused", is_list = true },
  { name = "prioritized" },
  { name = "delayed" },
  { name = "waiting-children" },
  { name = "completed" },
  { name = "failed" },
  { name = "repeat" },
}
local OTHERS = {
  "stalled",
  "stalled-check",
  "limiter",
  "marker",
  "events",
  "id",
  "pc",
  "delay",
  "metrics:completed",
  "metrics:completed:data",
  "metrics:failed",
  "metrics:failed:data",
}

local queue = queue_at(base)

local function first_of(place, room)
  local key = base .. place.name
  local ids = redis.pcall(place.is_list and "LRANGE" or "ZRANGE", key, 0, room - 1)
  if ids.err then
    redis.call("DEL", key)
    return {}
  end
  return ids
end

local function remove(place, job_id)
  if place.name == "repeat" then
    redis.call("DEL", base .. "repeat:" .. job_id)
  else
    redis.call("DEL", base .. job_id .. ":lock")
    discard_job(queue, job_id)
  end
end

local function take_out(place, ids)
  if #ids == 0 then
    return
  elseif place.is_list then
    redis.call("LTRIM", base .. place.name, #ids, -1)
  else
    redis.call("ZREM", base .. place.name, unpack(ids))
  end
end

local function pause()
  redis.call("DEL", queue.marker_key)
  if redis.pcall("HSET", meta_key, "paused", 1) == 1 then
    redis.pcall("XADD", queue.events_key, "*", "event", "paused")
  end
end

-- Returns whether that was all.
local function remove_some(room)
  for _, place in ipairs(PLACES) do
    local ids = room > 0 and first_of(place, room) or {}
    take_out(place, ids)
    for _, job_id in ipairs(ids) do
      remove(place, job_id)
    end
    room = room - #ids
  end
  return room > 0
end

local active = redis.pcall("LLEN", queue.active_key)
if force ~= "1" and type(active) == "number" and active > 0 then
  return { BUSY, active }
end
pause()
if not remove_some(tonumber(count)) then
  return { MORE }
end
for _, name in ipairs(OTHERS) do
  redis.call("DEL", base .. name)
end
redis.call("DEL", meta_key)
return { GONE }
