-- How many jobs have ended in one way until now, and when now is: by the server's clock, as their
-- ends are.
--
-- keys    ended_key   the failed jobs, or the completed ones
-- args    until_ms    or until then; 0 is now
--         clock_ms    a frozen clock, or 0 for the server's
-- reply   {1, until_ms, count}
local ended_key = unpack(KEYS)
local until_ms, clock_ms = unpack(ARGV)

-- @include now_ms

local COUNTED = 1

if until_ms == "0" then
  until_ms = now_ms(clock_ms)
end
return { COUNTED, tonumber(until_ms), redis.call("ZCOUNT", ended_key, "-inf", until_ms) }
