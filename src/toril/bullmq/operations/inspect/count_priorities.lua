-- How many ready jobs there are of some priorities, at one moment.
--
-- keys    wait_key, paused_key, prioritized_key
-- args    ranges   msgpack: a list of the lowest and the highest score of each priority, as text;
--                  an empty list for none, whose jobs are in the lists
-- reply   {1, {count, ...}}
local wait_key, paused_key, prioritized_key = unpack(KEYS)
local ranges = unpack(ARGV)

local COUNTED = 1

local counts = {}
for number, range in ipairs(cmsgpack.unpack(ranges)) do
  local lowest, highest = unpack(range)
  if lowest then
    counts[number] = redis.call("ZCOUNT", prioritized_key, lowest, highest)
  else
    counts[number] = redis.call("LLEN", wait_key) + redis.call("LLEN", paused_key)
  end
end
return { COUNTED, counts }
