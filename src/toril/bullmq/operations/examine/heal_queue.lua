-- Bring what there is one of per queue into order: limits that never end, jobs where no worker looks,
-- jobs that nobody is told of, a counter that would give out ids again, state that would expire.
--
-- keys    meta_key   settings of the queue; then those of the queue
-- args    base       what the keys of the queue start with
--         highest    the highest number that is the id of a job, or 0
-- reply   {1, {deed, ...}}   unlimited, merged, rung, counted, kept
local meta_key = unpack(KEYS)
local base, highest = unpack(ARGV)

-- @include check_types
-- @include merge_waiting
-- @include queue_at
-- @include read_meta
-- @include ring_for_ready
-- @include whole

local HEALED = 1
local STATES = {
  { "wait", "paused", "active", "prioritized", "delayed", "waiting-children", "completed" },
  { "failed", "stalled", "marker", "events", "meta", "id", "pc", "repeat" },
}

local queue, deeds = queue_at(base), {}
local counter = whole(redis.call("GET", queue.id_key)) or 0

local function note(deed, has_changed)
  if has_changed then
    deeds[#deeds + 1] = deed
  end
end

-- At worst a job runs before another one of its priority that came earlier.
local function count_arrivals_anew()
  local arrivals = redis.call("GET", queue.pc_key)
  if arrivals and not whole(arrivals) then
    note("counted", redis.call("DEL", queue.pc_key) == 1)
  end
end

local function heal_ready_jobs()
  local meta = read_meta(queue)
  if not meta.is_paused and redis.call("LLEN", queue.paused_key) > 0 then
    merge_waiting(queue, queue.wait_key)
    note("merged", true)
  end
  local had_marker = redis.call("ZSCORE", queue.marker_key, "0")
  ring_for_ready(queue, meta)
  note("rung", not had_marker and redis.call("ZSCORE", queue.marker_key, "0"))
end

count_arrivals_anew()
check_types(queue)
redis.call("HLEN", meta_key)
if redis.call("PTTL", queue.limiter_key) == -1 then
  note("unlimited", redis.call("DEL", queue.limiter_key) == 1)
end
heal_ready_jobs()
if counter < tonumber(highest) and redis.call("EXISTS", base .. highest) == 1 then
  redis.call("SET", queue.id_key, highest)
  note("counted", true)
end
for _, names in ipairs(STATES) do
  for _, name in ipairs(names) do
    note("kept", redis.call("PERSIST", base .. name) == 1)
  end
end
return { HEALED, deeds }
