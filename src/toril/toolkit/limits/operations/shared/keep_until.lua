-- Store the state of a limit until the moment from which on it says nothing any more.
--
-- Text and expiry are one command, so no state is ever without an end.
local function keep_until(key, text, until_us, now_us)
  if until_us <= now_us then
    redis.call("DEL", key)
    return
  end
  -- A millisecond more than it takes, since the server counts from when the script began. Ten
  -- years at most: a debt without bounds is no reason for a number that servers refuse.
  local ttl_ms = math.min(math.ceil((until_us - now_us) / 1000) + 1, 315360000000)
  redis.call("SET", key, text, "PX", ttl_ms)
end
