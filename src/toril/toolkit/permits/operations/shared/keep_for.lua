-- Let a key live for so many microseconds, or longer if it does already.
local function keep_for(key, lease_us)
  local lease_ms = math.ceil(lease_us / 1000)
  if redis.call("PTTL", key) < lease_ms then
    redis.call("PEXPIRE", key, lease_ms)
  end
end
