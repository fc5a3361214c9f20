-- Tell all who wait, in the way they listen. A server that has no shards, or does not permit the
-- channel, costs them no more than their next look.
local function wake_all(channel, is_sharded)
  local told = nil
  if is_sharded == "1" then
    told = redis.pcall("SPUBLISH", channel, "")
  end
  if type(told) ~= "number" then
    redis.pcall("PUBLISH", channel, "")
  end
end
