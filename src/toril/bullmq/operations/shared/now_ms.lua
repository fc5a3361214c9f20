-- Milliseconds by the server's clock, so that skewed clients agree; `frozen_ms` above 0 wins.
local function now_ms(frozen_ms)
  local frozen = tonumber(frozen_ms)
  if frozen > 0 then
    return frozen
  end
  local time = redis.call("TIME")
  return time[1] * 1000 + math.floor(time[2] / 1000)
end
