-- Begin the one run of a key, or say what is known of it.
--
-- Whoever has begun it already is told so again, and its lease starts anew: a reply was lost. What
-- nobody has given a sign of life for is gone, because the key expires with the lease.
--
-- keys    run_key     hash {owner, state, value}
--         barred_key  sorted set: owner that may begin no more, until when in us
-- args    owner       unique to this attempt
--         lease_ms    how long the run may go on without a sign of life
-- reply   {1, ""}         begun
--         {0, left_ms}    somebody else runs it, for this long at least
--         {2, value}      it is done
--         {3, value}      it has failed, and that is kept
local run_key, barred_key = unpack(KEYS)
local owner, lease_ms = unpack(ARGV)

local RUNNING_ELSEWHERE, BEGUN, DONE, FAILED = 0, 1, 2, 3

local runner, state, value = unpack(redis.call("HMGET", run_key, "owner", "state", "value"))

if state == "done" then
  return { DONE, value or "" }
end
if state == "failed" then
  return { FAILED, value or "" }
end
if redis.call("ZSCORE", barred_key, owner) then
  return { RUNNING_ELSEWHERE, 0 }
end
if runner and runner ~= owner then
  return { RUNNING_ELSEWHERE, math.max(redis.call("PTTL", run_key), 0) }
end
redis.call("HSET", run_key, "owner", owner, "state", "running")
redis.call("PEXPIRE", run_key, lease_ms)
return { BEGUN, "" }
