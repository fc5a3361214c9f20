-- Forget the writers whose time is over: they were killed, or cut off. Returns how many are left.
--
-- The hash has the end of each writer under its token, and under `last` who came last.
local function drop_ended(writers_key, time_us)
  local left = 0
  local flat = redis.call("HGETALL", writers_key)
  for index = 1, #flat, 2 do
    local token, ends_us = flat[index], tonumber(flat[index + 1])
    if token ~= "last" then
      if ends_us < time_us then
        redis.call("HDEL", writers_key, token)
      else
        left = left + 1
      end
    end
  end
  return left
end
