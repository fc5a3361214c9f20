-- Count the jobs in every state, at one moment.
--
-- keys    wait_key          then those of the other states
-- args    base              what the keys of the queue start with
-- reply   {1, waiting, paused, active, prioritized, delayed, waiting_children, completed, failed}
local wait_key = unpack(KEYS)
local base = unpack(ARGV)

local COUNTED = 1

return {
  COUNTED,
  redis.call("LLEN", wait_key),
  redis.call("LLEN", base .. "paused"),
  redis.call("LLEN", base .. "active"),
  redis.call("ZCARD", base .. "prioritized"),
  redis.call("ZCARD", base .. "delayed"),
  redis.call("ZCARD", base .. "waiting-children"),
  redis.call("ZCARD", base .. "completed"),
  redis.call("ZCARD", base .. "failed"),
}
