-- Store a value, whoever loads it now, unless somebody changes what it is made of.
--
-- What was sent before the entry was changed is refused, however late it comes.
--
-- keys    value_key .. lease_key   the entry
--         writers_key   hash, see living_writers
--         version_key   the highest version stored
--         changed_key   when the entry was last changed
-- args    token         stamp of this value
--         version       empty for none
--         changed       when the entry was last changed, as it was read before
--         codec .. payload   see store_entry
-- reply   {1}   stored
--         {0}   refused for a writer
--         {2}   refused for a higher version
--         {3}   refused for a change since
local value_key, marker_key, lease_key, writers_key, version_key, changed_key = unpack(KEYS)
local token, version, changed, codec, ttl_us, life_ms, generations, tags, payload = unpack(ARGV)

-- @include now_us
-- @include store_entry
-- @include is_outdone
-- @include note_version

local STORED, WRITING, OUTDONE, CHANGED = 1, 0, 2, 3

if redis.call("EXISTS", writers_key) == 1 then
  return { WRITING }
elseif (redis.call("GET", changed_key) or changed) ~= changed then
  return { CHANGED }
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
