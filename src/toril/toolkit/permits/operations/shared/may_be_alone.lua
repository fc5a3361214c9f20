-- @include came_before

-- Whether it is this token's turn to be alone, where nobody is in.
local function may_be_alone(line, token, order)
  local before = came_before(line.alone_key, token)
  local readers = order == "arrival" and redis.call("ZCOUNT", line.sharing_key, "-inf", before) or 0
  return readers == 0 and redis.call("ZCOUNT", line.alone_key, "-inf", before) == 0
end
