-- Let no job start for so long, as if the rate limit were used up; a limit by hand that lasts longer
-- stays as it is.
local function hold_rate(queue, duration_ms)
  local used_up = "9007199254740991"
  local is_held = redis.call("GET", queue.limiter_key) == used_up
  if not is_held or redis.call("PTTL", queue.limiter_key) < duration_ms then
    redis.call("SET", queue.limiter_key, used_up, "PX", duration_ms)
  end
end
