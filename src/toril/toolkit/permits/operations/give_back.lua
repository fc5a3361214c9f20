-- Give a place back, among the holders or in the line, and tell those whose turn it is.
--
-- keys    holders_key   sorted set: token, end of its lease in us
--         sharing_key   sorted set: token of who waits to share, when it came in us
--         alone_key     sorted set: token of who waits to be alone, when it came in us
--         alive_key     sorted set: token of who waits, until when it is believed to in us
--         barred_key    sorted set: token that is let in no more, until when in us
-- args    token         whose place
--         bar_us        refuse it for so long, as it may still be on its way; 0: it is not
--         limit         how many may share
--         order         whose turn it is: "any", "arrival", "writers" or "readers"
--         channel       who waits listens here
-- reply   1             it held a lease that was still good
--         0             it did not
local holders_key, sharing_key, alone_key, alive_key, barred_key = unpack(KEYS)
local token, bar_us, limit, order, channel = unpack(ARGV)

-- @include now_us
-- @include drop_ended
-- @include leave_line
-- @include keep_for
-- @include next_in_line
-- @include wake

local now = now_us()
local line = { sharing_key = sharing_key, alone_key = alone_key, alive_key = alive_key }
redis.call("ZCARD", barred_key)
drop_ended(holders_key, line, now)

local was_in = redis.call("ZREM", holders_key, token)
leave_line(line, token)
if tonumber(bar_us) > 0 then
  redis.call("ZREMRANGEBYSCORE", barred_key, "-inf", now)
  redis.call("ZADD", barred_key, now + bar_us, token)
  keep_for(barred_key, bar_us)
end
local rules = { limit = tonumber(limit), order = order }
for _, next_one in ipairs(next_in_line(holders_key, line, rules)) do
  wake(channel, next_one)
end
return was_in
