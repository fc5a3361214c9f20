-- Store the ends of runs that are the ends of their jobs: completed, or failed for good.
--
-- Whoever holds the lock decides; an outcome whose lock is gone or another's is refused alone and
-- changes nothing. Looks at everything first and then writes; the first write frees memory, so
-- that a server out of memory still takes the end of a job. A request that its sender has given
-- up for lost is refused: by then the sender has asked what became of it, and goes by that.
--
-- keys    fence_key     highest sequence of this sender that was given up; then those of the queue
-- args    base          what the keys of the queue start with
--         sequence      of this request, growing with each request of one sender
--         fetches_next  "1" when the sender claims right after this
--         packed        msgpack: a list of outcomes, each a map with id, token, kind (completed or
--                       failed), text (result or reason), keep {count, age_s}, attempts, and
--                       fields, a flat list of hash fields to store beside
--         clock_ms      a frozen clock, or 0 for the server's
-- reply   {1, {result, ...}}   one a job: 1 stored, 2 no such job, 3 lock lost, 4 not active
--         {0}                  the sender gave this request up before it arrived
local fence_key = unpack(KEYS)
local base, sequence, fetches_next, packed, clock_ms = unpack(ARGV)

-- @include count_jobs
-- @include finish_job
-- @include now_ms
-- @include owned_jobs
-- @include queue_at
-- @include read_meta
-- @include release
-- @include tell_if_drained

local FENCED, SETTLED = 0, 1

if tonumber(redis.call("GET", fence_key) or 0) >= tonumber(sequence) then
  return { FENCED }
end

local queue = queue_at(base)
local outcomes = cmsgpack.unpack(packed)
local owned = owned_jobs(queue, outcomes)
if #owned.ids == 0 then
  return { SETTLED, owned.jobs }
end
local meta = read_meta(queue)
local now = now_ms(clock_ms)
local counts = count_jobs(queue)
-- Looked at for their types: nothing may raise after the first write.
redis.call("ZCARD", queue.completed_key)
redis.call("ZCARD", queue.failed_key)

-- Raises on a foreign type as its first effect, so it comes first.
redis.call("XTRIM", queue.events_key, "MAXLEN", "~", meta.max_events)
release(queue, owned, outcomes, function(job, outcome)
  finish_job(queue, job, outcome, now)
  counts.active = counts.active - 1
end)
tell_if_drained(queue, meta, counts, fetches_next == "1")
return { SETTLED, owned.jobs }
