-- Make due delayed jobs ready, and take some for one worker: see `take_jobs`.
--
-- A request that its sender has given up for lost is refused: its claims would have no owner.
--
-- keys    fence_key  highest sequence of this sender that was given up; then those of the queue
-- args    base       what the keys of the queue start with
--         sequence   of this request, growing with each request of one sender
--         packed     msgpack: a map with token (opens the locks), want (how many jobs; 0 only makes
--                    due jobs ready), max_bytes (of job hashes in one reply; the first job always
--                    fits), lock_ms (length of a lock, as text), worker_name (stored as the worker
--                    of the job, unless empty), and where the worker has a rate limit of its own
--                    rate_max and rate_duration_ms, or else heeds_limit, as in `apply_limit`; and where
--                    it counts the ends it stores, metrics_size, how many minutes of them it keeps
--         clock_ms   a frozen clock, or 0 for the server's
-- reply   {1, now_ms, {next_in_ms, {ghost_id, ...}, {id, hash, id, hash, ...}}}
--         {0}        the sender gave this request up before it arrived
local fence_key = unpack(KEYS)
local base, sequence, packed, clock_ms = unpack(ARGV)

-- @include apply_limit
-- @include is_fenced
-- @include now_ms
-- @include queue_at
-- @include read_meta
-- @include take_jobs

local FENCED, CLAIMED = 0, 1

if is_fenced(fence_key, sequence) then
  return { FENCED }
end

local queue = queue_at(base)
-- Looked at for their types: nothing may raise after the first write.
redis.call("LLEN", queue.active_key)
redis.call("XLEN", queue.events_key)
local claim = cmsgpack.unpack(packed)
claim.now = now_ms(clock_ms)
local meta = read_meta(queue)
apply_limit(meta, claim)
return { CLAIMED, tonumber(claim.now), take_jobs(queue, meta, claim) }
