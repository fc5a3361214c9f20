-- Take a lock that is free, if nobody else's turn comes first.
--
-- A token that holds it already is granted it again, with the fence it has: its first answer was
-- lost. One that was given up meanwhile gets nothing, however late it comes. A fair lock goes to
-- whoever waits the longest; any other too, once that one has waited for a second, so that those
-- who come and go quickly starve nobody.
--
-- keys    lock_key     who holds it
--         fence_key    the newest fence
--         waiters_key  who waits, by arrival; the channel
--         seen_key     who waits, by when they are given up
--         spent_key    tokens that were given up
-- args    token        whose it is to be
--         ttl_ms       how long it is held without a renewal
--         holder       who that is, for people
--         member       of the line, if it waits, else empty
--         is_fair      1 or 0
--         least_fence  the fence is not below this
-- reply   {1, fence}   it is held
--         {0, ms}      it is not: it is another's for so long; -1 when only the turn is another's
local lock_key, fence_key, waiters_key, seen_key, spent_key = unpack(KEYS)
local token, ttl_ms, holder, member, is_fair, least_fence = unpack(ARGV)

-- @include now_us
-- @include owner_of
-- @include next_fence
-- @include first_waiter
-- @include line_up
-- @include wake

local GRANTED = 1
local BUSY = 0
local PATIENCE_US = 1000000

local now = now_us()
local owner, held_fence = owner_of(lock_key)

-- Whether somebody else has to come first, though the lock is free.
local function is_anothers_turn()
  local first, since, has_dropped = first_waiter(waiters_key, seen_key, now)
  if not first or first == member then
    return false
  end
  if has_dropped then
    wake(waiters_key, first)
  end
  return is_fair == "1" or now - since > PATIENCE_US
end

local function grant(fence)
  redis.call("SET", lock_key, string.format("%s|%.0f|%s", token, fence, holder), "PX", ttl_ms)
  if member ~= "" then
    redis.call("ZREM", waiters_key, member)
    redis.call("ZREM", seen_key, member)
  end
  return { GRANTED, fence }
end

local function refuse()
  if member ~= "" then
    line_up(waiters_key, seen_key, member, now)
  end
  return { BUSY, owner and redis.call("PTTL", lock_key) or -1 }
end

least_fence = tonumber(least_fence)
if owner == token then
  return grant(held_fence < least_fence and next_fence(fence_key, least_fence) or held_fence)
elseif redis.call("ZSCORE", spent_key, token) then
  return { BUSY, -1 }
elseif owner or is_anothers_turn() then
  return refuse()
end
return grant(next_fence(fence_key, math.max(now, least_fence)))
