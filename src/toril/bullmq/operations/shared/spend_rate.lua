-- Count jobs that start against the rate limit; the first of a window opens it.
local function spend_rate(queue, meta, started)
  if not meta.rate_duration_ms then
    return
  end
  if meta.is_in_window then
    redis.call("INCRBY", queue.limiter_key, started)
  else
    redis.call("SET", queue.limiter_key, started, "PX", meta.rate_duration_ms)
  end
end
