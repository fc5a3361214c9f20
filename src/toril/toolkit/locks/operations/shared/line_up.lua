-- A place among those who wait: the one it has, or behind all others. Kept for two seconds, within
-- which a waiter asks again.
local function line_up(waiters_key, seen_key, member, now)
  redis.call("ZADD", waiters_key, "NX", now, member)
  redis.call("ZADD", seen_key, now + 2000000, member)
  redis.call("PEXPIRE", waiters_key, 10000)
  redis.call("PEXPIRE", seen_key, 10000)
end
