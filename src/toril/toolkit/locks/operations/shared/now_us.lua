-- Microseconds by the server's clock, so that skewed clients agree.
local function now_us()
  local time = redis.call("TIME")
  return time[1] * 1000000 + time[2]
end
