-- Store the ends of runs of jobs that own a deduplication id, and let the next job with it in: the
-- one that was kept back for this moment is added.
--
-- Apart from `finish_jobs`, because adding a job is much that most ends do without. A request that
-- its sender has given up for lost is refused: by then the sender has asked what became of it.
--
-- keys    fence_key  highest sequence of this sender that was given up; then those of the queue, of
--                    deduplication ids and of the jobs that are kept back for them
-- args    base       what the keys of the queue start with
--         sequence   of this request, growing with each request of one sender
--         packed     msgpack: as in `finish_jobs`; nothing is taken, and `want` says whether the
--                    sender claims after this
--         clock_ms   a frozen clock, or 0 for the server's
-- reply   {1, {result, ...}}   one an outcome: 1 stored, 2 no such job, 3 lock lost, 4 not active
--         {0}                  the sender gave this request up before it arrived
local fence_key = unpack(KEYS)
local base, sequence, packed, clock_ms = unpack(ARGV)

-- @include check_new_jobs
-- @include is_fenced
-- @include now_ms
-- @include queue_at
-- @include read_meta
-- @include release_deduplication
-- @include store_ends
-- @include tell_if_drained

local FENCED, SETTLED = 0, 1

if is_fenced(fence_key, sequence) then
  return { FENCED }
end

local queue = queue_at(base)
local outcomes, claim = cmsgpack.unpack(packed)
local now = now_ms(clock_ms)
local meta = read_meta(queue)
check_new_jobs(queue)
local results, stored = store_ends(queue, meta, outcomes, now, function(job)
  release_deduplication(queue, job.id, job.deduplication_id, now)
end)
if stored > 0 then
  tell_if_drained(queue, meta, claim.want > 0)
end
return { SETTLED, results }
