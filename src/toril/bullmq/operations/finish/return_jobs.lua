-- Return jobs whose run ended without their end: to be retried, put off, or given back.
--
-- Whoever holds the lock decides; an outcome whose lock is gone or another's is refused alone and
-- changes nothing. Looks at everything first and then writes; the first write frees memory, so
-- that a server out of memory still takes a job back. A request that its sender has given up for
-- lost is refused: by then the sender has asked what became of it, and goes by that.
--
-- keys    fence_key  highest sequence of this sender that was given up; then those of the queue
-- args    base       what the keys of the queue start with
--         sequence   of this request, growing with each request of one sender
--         packed     msgpack: a list of outcomes, each a map with id, token, kind (retry, delay or
--                    give_back), delay_ms, lifo, counts (the attempt is used up), limit_ms (for how
--                    long no job is to start, 0 for nothing of the kind), and fields, a flat list
--                    of hash fields to store beside
--         clock_ms   a frozen clock, or 0 for the server's
-- reply   {1, {result, ...}}   one a job: 1 stored, 2 no such job, 3 lock lost, 4 not active
--         {0}                  the sender gave this request up before it arrived
local fence_key = unpack(KEYS)
local base, sequence, packed, clock_ms = unpack(ARGV)

-- @include check_types
-- @include due_jobs
-- @include hold_rate
-- @include is_fenced
-- @include now_ms
-- @include owned_jobs
-- @include promote
-- @include queue_at
-- @include read_meta
-- @include release
-- @include return_job

local FENCED, SETTLED = 0, 1

if is_fenced(fence_key, sequence) then
  return { FENCED }
end

local queue = queue_at(base)
local outcomes = cmsgpack.unpack(packed)
local owned = owned_jobs(queue, outcomes)
if #owned.ids == 0 then
  return { SETTLED, owned.jobs }
end
check_types(queue)
redis.call("LLEN", queue.active_key)
redis.call("GET", queue.limiter_key)
local meta = read_meta(queue)
local now = tonumber(now_ms(clock_ms))
local has_promoted = false

release(queue, owned, outcomes, function(job, outcome)
  -- What came due before this job is retried goes before it.
  if outcome.kind == "retry" and not has_promoted then
    promote(queue, meta, (due_jobs(queue, now)))
    has_promoted = true
  end
  meta.room = meta.room + 1
  meta.is_blocked = meta.is_paused or meta.room <= 0
  if outcome.limit_ms > 0 then
    hold_rate(queue, outcome.limit_ms)
  end
  return_job(queue, meta, job, outcome, now)
end)
return { SETTLED, owned.jobs }
