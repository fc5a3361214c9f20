-- Put running jobs aside until their children have ended: the last child makes its parent ready.
--
-- A job without a pending child would wait for ever, and one that a child has failed can never
-- complete: both are refused, and stay with their worker. A request that its sender has given up for
-- lost is refused: by then the sender has asked what became of it.
--
-- keys    fence_key  highest sequence of this sender that was given up; then those of the queue, and
--                    of the jobs and their children
-- args    base       what the keys of the queue start with
--         sequence   of this request, growing with each request of one sender
--         packed     msgpack: a list of outcomes, each a map with id, token, and fields, a flat list
--                    of hash fields to store beside
--         clock_ms   a frozen clock, or 0 for the server's
-- reply   {1, {result, ...}}   one a job: 1 stored, 2 no such job, 3 lock lost, 4 not active,
--                              6 a child has failed it, 8 no child is pending
--         {0}                  the sender gave this request up before it arrived
local fence_key = unpack(KEYS)
local base, sequence, packed, clock_ms = unpack(ARGV)

-- @include announce
-- @include is_fenced
-- @include now_ms
-- @include owned_jobs
-- @include queue_at
-- @include release

local FENCED, SETTLED = 0, 1
local FAILED_CHILDREN, NO_CHILDREN = 6, 8

local function why_not(outcome)
  if redis.call("EXISTS", base .. outcome.id .. ":unsuccessful") == 1 then
    return FAILED_CHILDREN
  elseif redis.call("EXISTS", base .. outcome.id .. ":dependencies") == 0 then
    return NO_CHILDREN
  end
end

if is_fenced(fence_key, sequence) then
  return { FENCED }
end

local queue = queue_at(base)
local outcomes = cmsgpack.unpack(packed)
local owned = owned_jobs(queue, outcomes, why_not)
if #owned.ids == 0 then
  return { SETTLED, owned.jobs }
end
-- Looked at for their types: nothing may raise after the first write.
redis.call("LLEN", queue.active_key)
redis.call("ZCARD", queue.waiting_children_key)
redis.call("XLEN", queue.events_key)

local now = now_ms(clock_ms)
release(queue, owned, outcomes, function(job)
  redis.call("ZADD", queue.waiting_children_key, now, job.id)
  announce(queue, "waiting-children", job.id, "prev", "active")
end)
return { SETTLED, owned.jobs }
