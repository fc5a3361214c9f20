-- @include whole

-- The generations under these keys, in order and divided by spaces.
--
-- One that is missing begins at the time of the server. So it is unlike all that went before, and
-- what was stored under a generation that was lost stays invalid.
local function generations_of(keys, keep_ms, time_us)
  local found = {}
  for index, key in ipairs(keys) do
    found[index] = redis.call("GET", key)
  end
  for index, key in ipairs(keys) do
    if not found[index] then
      found[index] = whole(time_us)
      redis.call("SET", key, found[index], "PX", keep_ms)
    end
  end
  return table.concat(found, " ")
end
