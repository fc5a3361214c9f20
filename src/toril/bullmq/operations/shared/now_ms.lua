-- Milliseconds by the server's clock, so that skewed clients agree; `frozen_ms` above 0 wins.
--
-- As text, as it is stored: a number of this size takes a script longer to write than to add up.
local function now_ms(frozen_ms)
  if tonumber(frozen_ms) > 0 then
    return frozen_ms
  end
  local time = redis.call("TIME")
  return time[1] .. string.sub("00000" .. time[2], -6, -4)
end
