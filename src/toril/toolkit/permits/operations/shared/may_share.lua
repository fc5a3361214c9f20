-- @include came_before

-- Whether it is this token's turn to share, where there are `free` places.
local function may_share(line, token, order, free)
  if order == "any" then
    return true
  end
  local before = came_before(line.sharing_key, token)
  local rivals = { arrival = before, writers = "+inf" }
  local writers = rivals[order] and redis.call("ZCOUNT", line.alone_key, "-inf", rivals[order]) or 0
  return writers == 0 and redis.call("ZCOUNT", line.sharing_key, "-inf", before) < free
end
