-- Look again at some jobs and keys of a queue in one instant: what was read key by key, while others
-- worked, may never have been true at once.
--
-- keys    meta_key   settings of the queue; then those that are read
-- args    base       what the keys of the queue start with
--         subjects   netstrings: ids of jobs, or keys without their base. With what is kept for a
--                    deduplication comes its key, with that the job that it names
-- reply   {1, now_ms, {{name, type, ttl_ms, {content, ...}}, ...}, {{part, type, ttl_ms, {id, times,
--         score, ...}}, ...}}   keys, then lists and sets; each of these with the id that it begins
--                    with, if it has any, beside those that are asked for
local meta_key = unpack(KEYS)
local base, subjects = unpack(ARGV)

-- @include held_times
-- @include key_row
-- @include names_in
-- @include now_ms

local LOOKED = 1
local SETTINGS = { "meta", "id", "pc", "limiter", "stalled-check", "events", "marker" }
local PARTS = { ":lock", ":logs", ":dependencies", ":processed", ":failed", ":unsuccessful" }
local LISTS = { "wait", "paused", "active" }
local SETS = { "prioritized", "delayed", "waiting-children", "completed", "failed", "stalled" }
local SHALLOW = { [":logs"] = "type", [":processed"] = "names", [":failed"] = "names" }

redis.call("EXISTS", meta_key)
local rows, ids = {}, names_in(subjects)

local function read(name, how)
  local row = key_row(base .. name, how or "all")
  if row[1] ~= "none" then
    rows[#rows + 1] = { name, row[1], row[2], row[3] }
  end
end

local function first_of(key, kind)
  if kind == "list" then
    return redis.call("LINDEX", key, "-1")
  end
  return kind == "zset" and redis.call("ZRANGE", key, "0", "0")[1]
end

local function holder(name)
  local key, held, noted = base .. name, {}, {}
  local kind = redis.call("TYPE", key).ok
  local function note(id)
    local times, score = held_times(key, id)
    if times > 0 and not noted[id] then
      noted[id] = true
      held[#held + 1], held[#held + 2], held[#held + 3] = id, times, score
    end
  end
  for _, id in ipairs(ids) do
    note(name == "repeat" and string.gsub(id, "^repeat:", "") or id)
  end
  local first = first_of(key, kind)
  if first then
    note(first)
  end
  return { name, kind, redis.call("PTTL", key), held }
end

local function read_all()
  for _, name in ipairs(SETTINGS) do
    read(name)
  end
  for _, id in ipairs(ids) do
    read(id)
    for _, part in ipairs(PARTS) do
      read(id .. part, SHALLOW[part])
    end
  end
end

-- Of the keys that begin so, what belongs into the picture as well.
local function add_beside(prefix, beside)
  for index = 1, #ids do
    if string.sub(ids[index], 1, 3) == prefix then
      ids[#ids + 1] = beside(ids[index])
    end
  end
end

add_beside("dn:", function(kept)
  return "de:" .. string.sub(kept, 4)
end)
add_beside("de:", function(deduplication)
  return key_row(base .. deduplication, "all")[3][1]
end)
read_all()
local holders = {}
for _, names in ipairs({ LISTS, SETS, { "repeat" } }) do
  for _, name in ipairs(names) do
    holders[#holders + 1] = holder(name)
  end
end
return { LOOKED, tonumber(now_ms(0)), rows, holders }
