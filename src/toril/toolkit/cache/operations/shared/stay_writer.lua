-- @include whole

-- List a writer for this long from now on, and keep the list at least that long.
local function stay_writer(writers_key, token, length_ms, time_us)
  redis.call("HSET", writers_key, token, whole(time_us + length_ms * 1000))
  if redis.call("PTTL", writers_key) < tonumber(length_ms) then
    redis.call("PEXPIRE", writers_key, length_ms)
  end
end
