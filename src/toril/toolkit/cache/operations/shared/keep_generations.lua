-- Keep generations, because something is about to be stored under them.
--
-- For at least half of `keep_ms` from now, which is longer than that may live. More often they are
-- not written: whoever keeps values in memory is told, and forgets all that depends on them.
local function keep_generations(keys, keep_ms)
  for _, key in ipairs(keys) do
    if redis.call("PTTL", key) < keep_ms / 2 then
      redis.call("PEXPIRE", key, keep_ms)
    end
  end
end
