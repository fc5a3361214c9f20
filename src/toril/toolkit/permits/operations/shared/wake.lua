-- Tell a waiter that it is its turn, in the way it listens. A server that has no shards, or does not
-- permit the channel, costs it no more than its next look.
local function wake(channel, token)
  local told = nil
  if string.sub(token, 2, 2) == "s" then
    told = redis.pcall("SPUBLISH", channel, token)
  end
  if type(told) ~= "number" then
    redis.pcall("PUBLISH", channel, token)
  end
end
