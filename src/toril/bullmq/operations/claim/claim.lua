-- Make due delayed jobs ready, and take up to `want` jobs for one worker, each with a lock.
--
-- Looks at everything first and then writes; the first write is one that a server out of memory
-- refuses, so nothing is taken from a server that could not store what becomes of it. A request
-- that its sender has given up for lost is refused: its claims would have no owner.
--
-- keys    fence_key    highest sequence of this sender that was given up; then those of the queue
-- args    base         what the keys of the queue start with
--         token        opens the locks
--         sequence     of this request, growing with each request of one sender
--         want         how many jobs; 0 only makes due jobs ready
--         max_bytes    of job hashes in one reply; the first job always fits
--         lock_ms      length of a lock
--         worker_name  stored as the worker of the job, unless empty
--         clock_ms     a frozen clock, or 0 for the server's
-- reply   {1, now_ms, next_in_ms, {ghost_id, ...}, {id, hash, id, hash, ...}}
--         {0}          the sender gave this request up before it arrived
--         next_in_ms is -1 when the queue knows of nothing to come
local fence_key = unpack(KEYS)
local base, token, sequence, want, max_bytes, lock_ms, worker_name, clock_ms = unpack(ARGV)

-- @include activate
-- @include drop_ghosts
-- @include due_jobs
-- @include hashes_of
-- @include now_ms
-- @include pick_jobs
-- @include promote
-- @include queue_at
-- @include rate_room
-- @include read_meta
-- @include ready_places
-- @include ring_for_ready
-- @include time_to_next

local FENCED, CLAIMED = 0, 1

-- The end of a rate limit rings for nobody: who looks and wants nothing wakes those who do.
local function ring_after_limit(queue, meta, rate_left)
  if tonumber(want) == 0 and meta.rate_max and rate_left > 0 then
    ring_for_ready(queue, meta)
  end
end

if tonumber(redis.call("GET", fence_key) or 0) >= tonumber(sequence) then
  return { FENCED }
end

local queue = queue_at(base)
-- Looked at for their types: nothing may raise after the first write.
redis.call("LLEN", queue.active_key)
redis.call("ZCARD", queue.marker_key)
redis.call("XLEN", queue.events_key)
local now = now_ms(clock_ms)
local meta = read_meta(queue)
local rate_left, limited_ms = rate_room(queue, meta)

local due, ghosts = due_jobs(queue, now)
promote(queue, meta, due)

local room = math.min(tonumber(want), meta.room, rate_left)
local jobs = {}
if not meta.is_blocked and room > 0 then
  jobs = pick_jobs(queue, ready_places(queue, meta, room), tonumber(max_bytes), ghosts)
end
local dropped = drop_ghosts(queue, ghosts)
activate(queue, meta, jobs, {
  token = token,
  lock_ms = lock_ms,
  worker_name = worker_name,
  now = now,
})
if #jobs < room and redis.call("ZCARD", queue.prioritized_key) == 0 then
  redis.call("DEL", queue.pc_key)
end
ring_after_limit(queue, meta, rate_left)
return { CLAIMED, now, time_to_next(queue, now, limited_ms), dropped, hashes_of(jobs) }
