-- Keep how a run ended, unless its lease was lost: then another run may have ended otherwise.
--
-- keys    run_key     hash {owner, state, value}
-- args    owner       who began it
--         state       "done" or "failed"
--         value       JSON: the result, or the error
--         keep_ms     how long it is kept
--         channel     where those who wait listen
--         is_sharded  1 if they do so at the shard
-- reply   1           kept, now or by an earlier arrival
--         0           the lease was lost
local run_key = unpack(KEYS)
local owner, state, value, keep_ms, channel, is_sharded = unpack(ARGV)

-- @include wake_all

local KEPT, LOST = 1, 0

local runner, before = unpack(redis.call("HMGET", run_key, "owner", "state"))
if runner ~= owner then
  return LOST
end
if before == "running" then
  -- First what a server out of memory does not refuse; then it does not refuse the rest.
  redis.call("PEXPIRE", run_key, keep_ms)
  redis.call("HSET", run_key, "state", state, "value", value)
  wake_all(channel, is_sharded)
end
return KEPT
