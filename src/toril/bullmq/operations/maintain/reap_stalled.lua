-- Put back the jobs whose worker went away without a word.
--
-- A job is stalled when it was active at the last check and has no lock at this one: a worker that
-- lives renews the lock, and the renewal takes the job off the list. A job that was lost more often
-- than allowed gets a deferred failure, and the next worker fails it instead of running it. Of all
-- the workers of a queue, one checks in each interval.
--
-- keys    stalled_check_key  exists until the next check is due; then those of the queue
-- args    base          what the keys of the queue start with
--         max_stalled   how often a job may be lost
--         interval_ms   between two checks
--         clock_ms      a frozen clock, or 0 for the server's
-- reply   {1, again_in_ms, {id, ...}, {id, ...}, {id, ...}}
--         put back to run again; put back to be failed; dropped, as no job is behind the id
local stalled_check_key = unpack(KEYS)
local base, max_stalled, interval_ms, clock_ms = unpack(ARGV)

-- @include announce
-- @include check_types
-- @include job_fields
-- @include now_ms
-- @include queue_at
-- @include read_meta
-- @include ring
-- @include whole

local CHECKED = 1
local BATCH = 1000

local queue = queue_at(base)

local function suspects()
  local found, ghosts = {}, {}
  for _, job_id in ipairs(redis.call("SMEMBERS", queue.stalled_key)) do
    if redis.call("EXISTS", base .. job_id .. ":lock") == 0 then
      local fields = job_fields(queue, job_id, "stc", "rjk")
      if fields then
        found[#found + 1] = { id = job_id, lost = whole(fields[1]) or 0, repeats = fields[2] }
      else
        ghosts[#ghosts + 1] = job_id
      end
    end
  end
  return found, ghosts
end

local function put_back(meta, job)
  local job_key = base .. job.id
  redis.call("HSET", job_key, "stc", job.lost + 1)
  local is_exhausted = job.lost + 1 > tonumber(max_stalled) and not job.repeats
  if is_exhausted then
    redis.call("HSET", job_key, "defa", "job stalled more than allowable limit")
  end
  meta.room = meta.room + 1
  meta.is_blocked = meta.is_paused or meta.room <= 0
  redis.call("RPUSH", meta.list_key, job.id)
  ring(queue, meta)
  announce(queue, "waiting", job.id, "prev", "active")
  announce(queue, "stalled", job.id)
  return is_exhausted
end

local function recover(meta, found)
  local recovered, exhausted = {}, {}
  for _, job in ipairs(found) do
    if redis.call("LREM", queue.active_key, 1, job.id) == 1 then
      local list = put_back(meta, job) and exhausted or recovered
      list[#list + 1] = job.id
    end
  end
  return recovered, exhausted
end

local function drop(ghosts)
  local dropped = {}
  for _, job_id in ipairs(ghosts) do
    if redis.call("LREM", queue.active_key, 0, job_id) > 0 then
      dropped[#dropped + 1] = job_id
    end
  end
  return dropped
end

local until_next_ms = redis.call("PTTL", stalled_check_key)
if until_next_ms > 0 then
  return { CHECKED, until_next_ms, {}, {}, {} }
end

check_types(queue)
redis.call("LLEN", queue.active_key)
local meta = read_meta(queue)
local found, ghosts = suspects()

redis.call("SET", stalled_check_key, now_ms(clock_ms), "PX", interval_ms)
redis.call("XTRIM", queue.events_key, "MAXLEN", "~", meta.max_events)
redis.call("DEL", queue.stalled_key)
local recovered, exhausted = recover(meta, found)
local dropped = drop(ghosts)

local active = redis.call("LRANGE", queue.active_key, 0, -1)
for first = 1, #active, BATCH do
  redis.call("SADD", queue.stalled_key, unpack(active, first, math.min(first + BATCH - 1, #active)))
end
return { CHECKED, tonumber(interval_ms), recovered, exhausted, dropped }
