-- Give back the lease on loading, and for a while keep others from what has just failed.
--
-- A server out of memory still accepts the first write. The marker is a courtesy: without it the
-- next one tries at once.
--
-- keys    marker_key    why loading failed lately
--         lease_key     token of who loads
-- args    token         that has the lease
--         backoff_ms    0 keeps nobody away
--         reason        for those who are kept away
-- reply   {1}   given back
--         {0}   it was gone
local marker_key, lease_key = unpack(KEYS)
local token, backoff_ms, reason = unpack(ARGV)

local RELEASED, GONE = 1, 0

if redis.call("GET", lease_key) ~= token then
  return { GONE }
end
redis.call("DEL", lease_key)
if tonumber(backoff_ms) > 0 then
  redis.pcall("SET", marker_key, reason, "PX", backoff_ms)
end
return { RELEASED }
