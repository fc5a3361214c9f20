-- @include activate
-- @include drop_ghosts
-- @include hashes_of
-- @include make_due_ready
-- @include pick_jobs
-- @include ready_places
-- @include ring_after_limit
-- @include room_for

-- Make due delayed jobs ready, and take up to `claim.want` jobs for one worker, each with a lock.
--
-- Returns what the claim of a reply is: {next_in_ms, {ghost_id, ...}, {id, hash, id, hash, ...}}.
-- `next_in_ms` is the time until the queue has work that it knows of (a delayed job comes due, the
-- rate limit ends), or -1. Looks at everything first and then writes; the first write is one that a
-- server out of memory refuses, so nothing is taken from a server that could not store its end.
local function take_jobs(queue, meta, claim)
  local next_ms, ghosts = make_due_ready(queue, meta, tonumber(claim.now))
  local room, limited_ms = room_for(queue, meta, claim.want)
  local jobs = pick_jobs(queue, ready_places(queue, meta, room), claim.max_bytes, ghosts)
  local dropped = drop_ghosts(queue, ghosts)
  activate(queue, meta, jobs, claim)
  if #jobs < room and redis.call("ZCARD", queue.prioritized_key) == 0 then
    redis.call("DEL", queue.pc_key)
  end
  if limited_ms > 0 then
    next_ms = math.min(next_ms or limited_ms, limited_ms)
  elseif claim.want == 0 then
    ring_after_limit(queue, meta)
  end
  return { next_ms or -1, dropped, hashes_of(jobs) }
end
