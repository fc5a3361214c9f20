-- Microseconds by the server's clock, exact in a number until the year 2255.
local function now_us()
  local time = redis.call("TIME")
  return time[1] * 1000000 + time[2]
end
