-- Add to a counter, once for each token.
--
-- keys    counter_key  integer
-- args    by           what to add
--         token        of this attempt and its repetitions
-- reply   the sum
local counter_key = unpack(KEYS)
local by, token = unpack(ARGV)

if redis.call("SET", counter_key .. ":" .. token, 1, "NX") then
  return redis.call("INCRBY", counter_key, by)
end

return tonumber(redis.call("GET", counter_key))
