-- Tell one waiter that it is its turn, in the way it listens. A server that has no shards, or does
-- not permit the channel, costs the waiter no more than its next look.
local function wake(channel, member)
  local told = nil
  if string.sub(member, 1, 1) == "s" then
    told = redis.pcall("SPUBLISH", channel, member)
  end
  if type(told) ~= "number" then
    redis.pcall("PUBLISH", channel, member)
  end
end
