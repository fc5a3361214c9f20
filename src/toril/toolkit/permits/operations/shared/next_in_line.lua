-- @include free_places

-- The tokens whose turn it is now, a hundred at most: those who share, or one who is alone.
local function next_in_line(holders_key, line, rules)
  local first, came = unpack(redis.call("ZRANGE", line.alone_key, 0, 0, "WITHSCORES"))
  local rivals = { arrival = "(" .. (came or ""), writers = "-inf" }
  local before = first and rivals[rules.order] or "+inf"
  local places = math.min(math.max(free_places(holders_key, "", rules.limit), 0), 100)
  local sharing = redis.call("ZRANGEBYSCORE", line.sharing_key, "-inf", before, "LIMIT", 0, places)
  if #sharing == 0 and first and redis.call("ZCARD", holders_key) == 0 then
    return { first }
  end
  return sharing
end
