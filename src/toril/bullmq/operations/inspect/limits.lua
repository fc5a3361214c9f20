-- The limits of a queue, and how much of them is used, at one moment.
--
-- keys    meta_key, limiter_key, active_key
-- reply   {1, concurrency, max, duration_ms, active, started, ttl_ms}
--         the first three as they are stored, nil when they are not; `started` is how many jobs
--         have started in this period, which ends in `ttl_ms`, as PTTL has it
local meta_key, limiter_key, active_key = unpack(KEYS)

local FOUND = 1

local limits = redis.call("HMGET", meta_key, "concurrency", "max", "duration")
return {
  FOUND,
  limits[1],
  limits[2],
  limits[3],
  redis.call("LLEN", active_key),
  redis.call("GET", limiter_key),
  redis.call("PTTL", limiter_key),
}
