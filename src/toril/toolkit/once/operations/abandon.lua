-- Forget a run that did not end well, so that another may begin.
--
-- keys    run_key     hash {owner, state, value}
--         barred_key  sorted set: owner that may begin no more, until when in us
-- args    owner       who began it
--         bar_ms      let it not begin for so long, as its request may be on its way; 0: it is not
--         channel     where those who wait listen
--         is_sharded  1 if they do so at the shard
-- reply   1           forgotten
--         0           nothing to forget: it is gone, another's, or has ended
local run_key, barred_key = unpack(KEYS)
local owner, bar_ms, channel, is_sharded = unpack(ARGV)

-- @include now_us
-- @include is_running
-- @include wake_all

local FORGOTTEN, NOTHING = 1, 0

local goes_on = is_running(run_key, owner)
if tonumber(bar_ms) > 0 then
  local now = now_us()
  -- First what a server out of memory does not refuse; then it does not refuse the rest.
  redis.call("ZREMRANGEBYSCORE", barred_key, "-inf", now)
  redis.call("ZADD", barred_key, now + bar_ms * 1000, owner)
  redis.call("PEXPIRE", barred_key, bar_ms)
end
if goes_on then
  redis.call("DEL", run_key)
end
if not goes_on then
  return NOTHING
end
wake_all(channel, is_sharded)
return FORGOTTEN
