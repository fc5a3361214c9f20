-- Store what was loaded, if the lease on loading it still stands.
--
-- Whoever changes the entry takes the lease away, so what was read before the change is refused.
--
-- keys    value_key     envelope
--         marker_key    why loading failed lately
--         lease_key     token of who loads
-- args    token         that has the lease
--         codec .. payload   see store_entry
-- reply   {1}   stored, now or by an earlier arrival
--         {0}   the lease is gone
local value_key, marker_key, lease_key = unpack(KEYS)
local token, codec, ttl_us, life_ms, compute_us, generations, tags, payload = unpack(ARGV)

-- @include now_us
-- @include store_entry
-- @include is_stored

local STORED, REFUSED = 1, 0

if redis.call("GET", lease_key) ~= token then
  return { is_stored(value_key, token) and STORED or REFUSED }
end
store_entry(value_key, token, {
  codec = codec,
  ttl_us = ttl_us,
  life_ms = life_ms,
  compute_us = compute_us,
  generations = generations,
  tags = tags,
  payload = payload,
}, now_us())
redis.call("DEL", lease_key, marker_key)
return { STORED }
