-- Store the ends of runs that other jobs hear of: a parent that waits for its child, the next job
-- with the same deduplication id, which is let in, and the parents of failed children that a rule of
-- retention removes.
--
-- Apart from `finish_jobs`, because this is much that most ends do without. A request that its sender
-- has given up for lost is refused: by then the sender has asked what became of it.
--
-- keys    fence_key  highest sequence of this sender that was given up; then those of the queue, of
--                    deduplication ids, of the jobs that are kept back for them, and of parents
-- args    base       what the keys of the queue start with
--         sequence   of this request, growing with each request of one sender
--         packed     msgpack: as in `finish_jobs`; nothing is taken, and `want` says whether the
--                    sender claims after this
--         clock_ms   a frozen clock, or 0 for the server's
-- reply   {1, {result, ...}}   one an outcome: 1 stored, 2 no such job, 3 lock lost, 4 not active,
--                              5 not completed, as children are pending, 6 or one has failed it
--         {0}                  the sender gave this request up before it arrived
local fence_key = unpack(KEYS)
local base, sequence, packed, clock_ms = unpack(ARGV)

-- @include apply_limit
-- @include check_new_jobs
-- @include count_ends
-- @include detach_child
-- @include is_fenced
-- @include now_ms
-- @include parent_of
-- @include queue_at
-- @include read_meta
-- @include release_deduplication
-- @include store_ends
-- @include tell_if_drained
-- @include tell_parent

local FENCED, SETTLED = 0, 1

if is_fenced(fence_key, sequence) then
  return { FENCED }
end

local queue = queue_at(base)
local outcomes, claim = cmsgpack.unpack(packed)
claim.now = now_ms(clock_ms)
local meta = read_meta(queue)
apply_limit(meta, claim)
check_new_jobs(queue)
local others = {}

function others.end_of(job, outcome)
  release_deduplication(queue, job.id, job.deduplication_id, claim.now)
  tell_parent(queue, job, outcome, claim.now)
end

function others.removal_of(job_id)
  local parent = parent_of(queue, job_id)
  if parent then
    detach_child(parent, base .. job_id)
  end
end

local results, stored = store_ends(queue, meta, outcomes, claim.now, others)
count_ends(queue, outcomes, results, claim)
if stored > 0 then
  tell_if_drained(queue, meta, claim.want > 0)
end
return { SETTLED, results }
