-- Keep generations for this long from now, because something is about to be stored under them.
local function keep_generations(keys, keep_ms)
  for _, key in ipairs(keys) do
    redis.call("PEXPIRE", key, keep_ms)
  end
end
