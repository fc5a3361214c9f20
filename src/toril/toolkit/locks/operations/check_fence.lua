-- Let nobody through whose lease is older than one that was here before.
--
-- The same fence comes through as often as it likes: its holder may do many things. It is kept for
-- 400 days after the last one.
--
-- keys    fence_key     the newest fence that was here
-- args    fence         of the lease of whoever asks
-- reply   {1, fence}    it may go on
--         {0, newest}   it may not
local fence_key = unpack(KEYS)
local fence = unpack(ARGV)

local newest = tonumber(redis.call("GET", fence_key) or 0) or 0
if tonumber(fence) < newest then
  return { 0, newest }
end
redis.call("SET", fence_key, fence, "PX", 34560000000)
return { 1, tonumber(fence) }
