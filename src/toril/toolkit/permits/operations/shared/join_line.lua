-- @include is_alone
-- @include keep_for

-- Give a token a place in the line, or let it keep the one it has, for so long.
local function join_line(line, token, now, patience_us)
  local place_key = is_alone(token) and line.alone_key or line.sharing_key
  redis.call("ZADD", place_key, "NX", now, token)
  redis.call("ZADD", line.alive_key, now + patience_us, token)
  keep_for(place_key, patience_us)
  keep_for(line.alive_key, patience_us)
end
