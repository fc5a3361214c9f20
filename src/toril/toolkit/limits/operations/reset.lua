-- Forget all that was granted under the limits of a key: debts and reserved slots, too.
--
-- Whoever was granted something before may still give it back, to a state in which it does not
-- count. So the moment is kept, until no refund of what was granted before it would do anything:
-- that is when the state would have ended.
--
-- keys    first_key     of one limit
--         The others are in the arguments, and declared behind it.
-- args    packed        msgpack: the keys of the other limits
--         packed_marks  msgpack: for each of all limits the key that says when it was reset
-- reply   {1, now_us}   done
local first_key = unpack(KEYS)
local packed, packed_marks = unpack(ARGV)

-- @include now_us

local DONE = 1

local now = now_us()
local forgotten_keys = cmsgpack.unpack(packed_marks)
for index, key in ipairs({ first_key, unpack(cmsgpack.unpack(packed)) }) do
  local forgotten_key = forgotten_keys[index]
  local left_ms = math.max(redis.call("PTTL", key), redis.call("PTTL", forgotten_key))
  -- First what a server out of memory does not refuse; then it does not refuse the rest.
  redis.call("DEL", key)
  if left_ms > 0 then
    redis.call("SET", forgotten_key, string.format("%.0f", now), "PX", left_ms)
  end
end
return { DONE, now }
