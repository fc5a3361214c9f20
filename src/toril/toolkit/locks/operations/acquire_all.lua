-- Take several locks at once, or none of them.
--
-- All must be free, and nobody else's turn. They get one fence, above every one that any of them
-- had before. A token that holds them already is granted them again, with a newer one. It does not
-- wait in line: who waits takes them one by one.
--
-- args    packed       msgpack: the keys of the locks
--         token        whose they are to be
--         ttl_ms       how long they are held without a renewal
--         holder       who that is, for people
--         is_fair      1 or 0
-- reply   {1, fence}   all are held
--         {0, ms}      one is not: it is another's for so long; -1 when only the turn is another's
local packed, token, ttl_ms, holder, is_fair = unpack(ARGV)

-- @include now_us
-- @include owner_of
-- @include next_fence
-- @include first_waiter

local GRANTED = 1
local BUSY = 0
local PATIENCE_US = 1000000

local now = now_us()

-- What keeps this lock from us: nothing, or the reply that says so.
local function obstacle(lock_key)
  local owner = owner_of(lock_key)
  if owner == token then
    return nil
  elseif owner then
    return { BUSY, redis.call("PTTL", lock_key) }
  end
  local first, since = first_waiter(lock_key .. ":w", lock_key .. ":s", now)
  local is_anothers_turn = first and (is_fair == "1" or now - since > PATIENCE_US)
  if is_anothers_turn or redis.call("ZSCORE", lock_key .. ":x", token) then
    return { BUSY, -1 }
  end
  return nil
end

local lock_keys = cmsgpack.unpack(packed)
local fence = now
for _, lock_key in ipairs(lock_keys) do
  local found = obstacle(lock_key)
  if found then
    return found
  end
  local newest = tonumber(redis.call("GET", lock_key .. ":f") or 0) or 0
  fence = math.max(fence, newest + 1)
end
for _, lock_key in ipairs(lock_keys) do
  next_fence(lock_key .. ":f", fence)
  redis.call("SET", lock_key, string.format("%s|%.0f|%s", token, fence, holder), "PX", ttl_ms)
end
return { GRANTED, fence }
