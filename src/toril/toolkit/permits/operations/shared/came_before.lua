-- What was earlier than this token's place in the line, as a bound of scores; all, if it has none.
local function came_before(place_key, token)
  local came = redis.call("ZSCORE", place_key, token)
  return came and "(" .. came or "+inf"
end
