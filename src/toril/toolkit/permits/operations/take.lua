-- Let one more holder in, or say how long to wait; whoever waits keeps a place in the line.
--
-- Holders and waiters whose time is over are dropped first, by the server's clock. Whoever is in
-- already is told so again, with another fence, as the reply with the first one was lost.
--
-- keys    holders_key   sorted set: token, end of its lease in us
--         fence_key     integer: the last fence granted
--         sharing_key   sorted set: token of who waits to share, when it came in us
--         alone_key     sorted set: token of who waits to be alone, when it came in us
--         alive_key     sorted set: token of who waits, until when it is believed to in us
--         barred_key    sorted set: token that is let in no more, until when in us
-- args    token         unique to this attempt; "w…" is alone or not in, "r…" shares; the second
--                       letter says how it is woken: "s" by its shard, "p" by any server
--         lease_us      length of the lease from now
--         limit         how many may share
--         order         whose turn it is: "any", "arrival", "writers" or "readers"
--         patience_us   a sign of life is good for this long in the line; 0: do not wait
-- reply   {1, fence}   in
--         {0, for_ms}  not now; until the first lease ends, -1 when only the turn is another's
local holders_key, fence_key, sharing_key, alone_key, alive_key, barred_key = unpack(KEYS)
local token, lease_us, limit, order, patience_us = unpack(ARGV)

-- @include now_us
-- @include drop_ended
-- @include leave_line
-- @include is_let_in
-- @include join_line
-- @include keep_for

local BUSY, GRANTED = 0, 1
-- Longer than any lease.
local KEEP_FENCE_MS = 400 * 24 * 3600 * 1000

local now = now_us()
-- Of microseconds, so that fences do not go back when the last one is lost.
local fence = math.max((redis.call("GET", fence_key) or 0) + 1, now)
local line = { sharing_key = sharing_key, alone_key = alone_key, alive_key = alive_key }
local rules = { limit = tonumber(limit), order = order }
if redis.call("ZSCORE", barred_key, token) then
  return { BUSY, -1 }
end
drop_ended(holders_key, line, now)

local is_in = redis.call("ZSCORE", holders_key, token)
if is_in or is_let_in(holders_key, line, token, rules) then
  leave_line(line, token)
  redis.call("ZADD", holders_key, now + lease_us, token)
  keep_for(holders_key, lease_us)
  redis.call("SET", fence_key, fence, "PX", KEEP_FENCE_MS)
  return { GRANTED, fence }
end

if tonumber(patience_us) > 0 then
  join_line(line, token, now, patience_us)
end
local first_end = redis.call("ZRANGE", holders_key, 0, 0, "WITHSCORES")[2]
return { BUSY, first_end and math.ceil((first_end - now) / 1000) or -1 }
