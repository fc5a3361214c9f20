-- @include is_alone

-- How many like this one could come in now, if nobody waited. All leases that ended are dropped.
local function free_places(holders_key, token, limit)
  local holders = redis.call("ZCARD", holders_key)
  if holders == 0 then
    return is_alone(token) and 1 or limit
  end
  local holder = redis.call("ZRANGE", holders_key, 0, 0)[1]
  if is_alone(token) or is_alone(holder) then
    return 0
  end
  return limit - holders
end
