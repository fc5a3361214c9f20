-- Store the ends of runs that are the ends of their jobs (completed, or failed for good), and take
-- the next jobs in the same call: see `store_ends` and `take_jobs`.
--
-- The ends are stored whatever becomes of the claim. A server out of memory takes ends, because
-- they free some, and gives no jobs. A request that its sender has given up for lost is refused:
-- by then the sender has asked what became of it, and goes by that.
--
-- keys    fence_key  highest sequence of this sender that was given up; then those of the queue
-- args    base       what the keys of the queue start with
--         sequence   of this request, growing with each request of one sender
--         packed     msgpack: a list of outcomes, each a map with id, token, kind (completed or
--                    failed), text (result or reason), keep {count, age_s}, attempts, and fields,
--                    a flat list of hash fields to store beside; then the map of a claim, as in
--                    `claim`, where a `want` of -1 takes nothing and leaves the queue alone
--         clock_ms   a frozen clock, or 0 for the server's
-- reply   {1, {result, ...}, now_ms, {next_in_ms, {ghost_id, ...}, {id, hash, id, hash, ...}}}
--                    a result for each outcome: 1 stored, 2 no such job, 3 lock lost, 4 not active,
--                    5 not completed, as children are pending, 6 or one has failed it, 7 the job has a
--                    parent: `finish_linked` is to store its end
--         {0}        the sender gave this request up before it arrived
local fence_key = unpack(KEYS)
local base, sequence, packed, clock_ms = unpack(ARGV)

-- @include apply_limit
-- @include count_ends
-- @include is_fenced
-- @include now_ms
-- @include queue_at
-- @include read_meta
-- @include store_ends
-- @include take_jobs
-- @include tell_if_drained

local FENCED, SETTLED = 0, 1

local function take_next(queue, meta, claim)
  local went_well, answer = pcall(take_jobs, queue, meta, claim)
  if went_well then
    return answer
  end
  -- What went wrong with the claim alone, the next one says.
  return { -1, {}, {} }
end

-- Changes nothing, and tells how long the fence is: there is none as a rule. A server out of memory
-- refuses it all the same: it is asked now, before the ends free some.
local fence_length = redis.pcall("SETRANGE", fence_key, "0", "")
local has_memory = type(fence_length) == "number"
if fence_length ~= 0 and is_fenced(fence_key, sequence) then
  return { FENCED }
end

local queue = queue_at(base)
local outcomes, claim = cmsgpack.unpack(packed)
claim.now = now_ms(clock_ms)
local may_take = claim.want >= 0 and has_memory
local meta = read_meta(queue)
apply_limit(meta, claim)
local results, stored = store_ends(queue, meta, outcomes, claim.now)
count_ends(queue, outcomes, results, claim)
local taken = may_take and take_next(queue, meta, claim) or { -1, {}, {} }
if stored > 0 and #taken[3] == 0 then
  -- Looks at keys that nobody has looked at yet, and must not hide the results.
  pcall(tell_if_drained, queue, meta, claim.want > 0)
end
return { SETTLED, results, tonumber(claim.now), taken }
