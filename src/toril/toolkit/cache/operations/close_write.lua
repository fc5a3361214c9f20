-- End a change, and store its result if no other writer can have overtaken it.
--
-- Of two changes that overlap nobody here knows which was the later one, so the entry stays empty
-- and the next reader loads it. With versions that is known: the higher one is stored, but only
-- by the last of those who overlap, because another may have been killed after its change.
--
-- keys    value_key .. lease_key   the entry
--         writers_key   hash: when each writer ends, and who came last
--         version_key   the highest version stored
-- args    token         of this writer
--         alone         whether nobody else was writing when it began; 1 or 0
--         version       empty for none
--         codec .. payload   see store_entry; no codec: there is nothing to store
-- reply   {1}   stored, now or by an earlier arrival
--         {0}   ended, and the entry is empty
--         {2}   others were writing too: the entry is empty
--         {3}   a higher version was stored
--         {4}   its time was over before: whatever was there is removed
local value_key, marker_key, lease_key, writers_key, version_key = unpack(KEYS)
local token, alone, version, codec, ttl_us, life_ms, generations, tags, payload = unpack(ARGV)

-- @include now_us
-- @include is_stored
-- @include drop_ended
-- @include is_outdone
-- @include note_version
-- @include store_entry

local STORED, ENDED, OVERLAPPED, OUTDONE, LATE = 1, 0, 2, 3, 4

local time_us = now_us()
if is_stored(value_key, token) then
  return { STORED }
end

local function judge(others, is_last)
  if codec == "" then
    return ENDED
  elseif is_outdone(version_key, version) then
    return OUTDONE
  elseif others > 0 or (version == "" and (alone == "0" or not is_last)) then
    return OVERLAPPED
  end
  return STORED
end

local others = drop_ended(writers_key, time_us) - 1
if redis.call("HEXISTS", writers_key, token) == 0 then
  redis.call("DEL", value_key, marker_key, lease_key)
  return { LATE }
end
local state = judge(others, redis.call("HGET", writers_key, "last") == token)
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
redis.call("HDEL", writers_key, token)
if others == 0 then
  redis.call("DEL", writers_key)
end
return { state }
