-- Microseconds by the server's clock; exact, as all numbers below 2^53 are.
local function now_us()
  local time = redis.call("TIME")
  return time[1] * 1000000 + time[2]
end
