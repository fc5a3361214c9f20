-- End a change, and store its result if no other can have overtaken it.
--
-- Of changes with versions the highest is stored, but only by the last of those who overlap,
-- because another may have been killed after its change.
--
-- keys    value_key .. lease_key   the entry
--         writers_key   hash, see living_writers
--         version_key   the highest version stored
--         changed_key   when the entry was last changed
-- args    token         of this writer
--         version       empty for none
--         codec .. payload   see store_entry; no codec: there is nothing to store
-- reply   {1}   stored, now or by an earlier arrival
--         {0}   ended, and the entry is empty
--         {2}   others were changing it too: the entry is empty
--         {3}   a higher version was stored
--         {4}   its time was over before: whatever was there is removed
local value_key, marker_key, lease_key, writers_key, version_key, changed_key = unpack(KEYS)
local token, version, codec, ttl_us, life_ms, generations, tags, payload = unpack(ARGV)

-- @include now_us
-- @include is_stored
-- @include living_writers
-- @include is_outdone
-- @include note_version
-- @include store_entry
-- @include note_change

local STORED, ENDED, OVERLAPPED, OUTDONE, LATE = 1, 0, 2, 3, 4

local function judge(writer, others)
  if codec == "" then
    return ENDED
  elseif is_outdone(version_key, version) then
    return OUTDONE
  elseif others > 0 or writer.fate == "overtaken" then
    return OVERLAPPED
  end
  return STORED
end

local time_us = now_us()
if is_stored(value_key, token) then
  return { STORED }
end
local writers, count = living_writers(writers_key, time_us)
local writer = writers[token]
if not writer then
  redis.call("DEL", value_key, marker_key, lease_key)
  note_change(changed_key, time_us)
  return { LATE }
end
local state = judge(writer, count - 1)
if state == STORED then
  store_entry(value_key, token, {
    codec = codec,
    ttl_us = ttl_us,
    life_ms = life_ms,
    compute_us = 0,
    generations = generations,
    tags = tags,
    payload = payload,
  }, time_us)
end
if state == STORED or state == OVERLAPPED then
  note_version(version_key, version, life_ms)
end
note_change(changed_key, time_us)
if count == 1 then
  redis.call("DEL", writers_key)
else
  redis.call("HDEL", writers_key, token)
  redis.call("HSET", writers_key, "state", token .. " ended")
end
return { state }
