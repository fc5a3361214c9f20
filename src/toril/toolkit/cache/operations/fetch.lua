-- Read an entry, and take the lease on loading it where that is the thing to do.
--
-- One script, so that of all who miss exactly one loads. A value is renewed a little before its
-- time by whoever draws that lot: the more likely, the nearer its end is and the longer loading
-- takes. So a popular entry is never missed. Whoever may not load gets what there is.
-- A token that has the lease is given it again: its first answer may have been lost.
--
-- keys    value_key      envelope
--         marker_key     why loading failed lately
--         lease_key      token of who loads
--         writers_key    hash, see living_writers
-- args    generations    msgpack: the keys of generations to read along, where they are at hand
--         keep_ms        how long those are kept
--         token          of this caller
--         lease_ms       0 only looks
--         draw           0 or more; times the time of loading, that is how early to renew
--         rejected       stamp of a value that the caller knows to be invalid, or empty
-- reply   {state, time_us, left_ms, generations, raw, detail}
--           detail is the token of who loads or writes, or why loading failed
local value_key, marker_key, lease_key, writers_key = unpack(KEYS)
local generations, keep_ms, token, lease_ms, draw, rejected = unpack(ARGV)

-- @include now_us
-- @include read_entry
-- @include generations_of
-- @include keep_generations

local FRESH, LEADS, STALE, WAITS, WRITING, FAILED, MISSING = 1, 2, 3, 4, 5, 6, 7

local time_us = now_us()
local generation_keys = cmsgpack.unpack(generations)
local found = generations_of(generation_keys, keep_ms, time_us)
local raw = redis.call("GET", value_key)
local entry = read_entry(raw)
if entry and entry.stamp == rejected then
  entry, raw = nil, nil
end
local left_us = entry and entry.soft_us - time_us or 0

local function answer(state, detail)
  local left_ms = math.max(math.floor(left_us / 1000), 0)
  return { state, time_us, left_ms, found, raw or "", detail or "" }
end

local function is_due()
  return left_us <= 0 or left_us <= math.max(entry.compute_us, 1) * draw
end

local function look()
  if left_us > 0 then
    return answer(FRESH)
  end
  return answer(entry and STALE or MISSING)
end

local function lead()
  local writer = redis.call("HGET", writers_key, "state")
  if writer then
    return answer(WRITING, writer)
  end
  local reason = redis.call("GET", marker_key)
  if reason then
    return answer(FAILED, reason)
  end
  local owner = redis.call("GET", lease_key)
  if not owner then
    redis.call("SET", lease_key, token, "PX", lease_ms)
    keep_generations(generation_keys, keep_ms)
  elseif owner ~= token then
    return answer(entry and STALE or WAITS, owner)
  end
  return answer(LEADS, token)
end

if tonumber(lease_ms) > 0 and is_due() then
  return lead()
end
return look()
