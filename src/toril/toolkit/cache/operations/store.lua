-- Store a value, whoever loads it now, unless somebody changes what it is made of.
--
-- keys    value_key .. lease_key   the entry
--         writers_key   hash, see living_writers
--         version_key   the highest version stored
-- args    token         stamp of this value
--         version       empty for none
--         codec .. payload   see store_entry
-- reply   {1}   stored
--         {0}   refused for a writer
--         {2}   refused for a higher version
local value_key, marker_key, lease_key, writers_key, version_key = unpack(KEYS)
local token, version, codec, ttl_us, life_ms, generations, tags, payload = unpack(ARGV)

-- @include now_us
-- @include store_entry
-- @include is_outdone
-- @include note_version

local STORED, WRITING, OUTDONE = 1, 0, 2

if redis.call("EXISTS", writers_key) == 1 then
  return { WRITING }
elseif is_outdone(version_key, version) then
  return { OUTDONE }
end
store_entry(value_key, token, {
  codec = codec,
  ttl_us = ttl_us,
  life_ms = life_ms,
  compute_us = 0,
  generations = generations,
  tags = tags,
  payload = payload,
}, now_us())
redis.call("DEL", lease_key, marker_key)
note_version(version_key, version, life_ms)
return { STORED }
