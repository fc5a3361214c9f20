-- Find out what became of a request whose reply was lost: nothing is sent twice in the dark.
--
-- Raises the fence first: if the request is still on its way it will be refused. What it claimed
-- then shows by the locks that its token opens; what it settled, by the locks that are gone. Rings
-- when jobs wait, because the request may have used up the marker that another worker needs.
--
-- keys    fence_key     highest sequence of this sender that was given up; then those of the queue
-- args    base          what the keys of the queue start with
--         sequence      of the lost request
--         fence_ttl_ms  how long the fence stands
--         token         of the claims that the lost request made
--         packed        msgpack: a list of {id, token}, the outcomes it was to settle
-- reply   {1, {id, hash, ...}, {id, ...}}  claimed by it; its outcomes that are not settled
local fence_key = unpack(KEYS)
local base, sequence, fence_ttl_ms, token, packed = unpack(ARGV)

-- @include owners_of
-- @include queue_at
-- @include read_meta
-- @include ring_for_delayed
-- @include ring_for_ready

local RECOVERED = 1

local queue = queue_at(base)
local meta = read_meta(queue)
local active = redis.call("LRANGE", queue.active_key, 0, -1)
local claimed, unsettled = {}, {}
for index, owner in ipairs(owners_of(base, active)) do
  if owner == token then
    claimed[#claimed + 1] = active[index]
    claimed[#claimed + 1] = redis.call("HGETALL", base .. active[index])
  end
end
for _, lease in ipairs(cmsgpack.unpack(packed)) do
  local job_id, owned_by = unpack(lease)
  if redis.call("GET", base .. job_id .. ":lock") == owned_by then
    unsettled[#unsettled + 1] = job_id
  end
end
-- A server out of memory refuses a SET, unless something that frees memory was written before it.
redis.call("DEL", fence_key)
redis.call("SET", fence_key, sequence, "PX", fence_ttl_ms)
ring_for_ready(queue, meta)
ring_for_delayed(queue)
return { RECOVERED, claimed, unsettled }
