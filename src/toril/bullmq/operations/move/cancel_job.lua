-- Cancel a job: one that does not run is removed, with its children. Of one that runs, whoever runs it
-- is told, and it will not be run again.
--
-- A job that runs gets a deferred failure: if this run does not end it, the next worker that takes it, of any
-- client, fails it. Its worker is told by a note, when the token of its lock is one of toril's:
-- `<worker>:<lane>:<number>`. Nobody else can be told.
--
-- keys    job_key, lock_key   of the job; then those of the queue
-- args    base         what the keys of the queue start with
--         job_id
--         reason       why the job will have failed
--         notes_base   what the keys of the notes to workers start with
--         notes_ttl_ms how long a note is kept
-- reply   {1}          its worker is told
--         {3}          it is active, and nobody can be told
--         {4, reply}   it does not run: what `remove_wholly` says
--         {2, place}   it has ended; the last part of the key that holds its id
--         {0}          there is no such job
local job_key, lock_key = unpack(KEYS)
local base, job_id, reason, notes_base, notes_ttl_ms = unpack(ARGV)

-- @include check_types
-- @include is_job
-- @include place_of
-- @include queue_at
-- @include refuse
-- @include remove_wholly

local TOLD, UNTOLD, REMOVAL = 1, 3, 4

local queue = queue_at(base)

local function remove()
  -- Looked at for their types: nothing may raise after the first write.
  check_types(queue)
  redis.call("SCARD", queue.stalled_key)
  local job = { id = job_id, key = job_key, queue = queue, children = {}, is_there = true }
  return { REMOVAL, remove_wholly(job, true) }
end

local function tell_worker()
  local token = redis.call("GET", lock_key)
  local worker = token and string.match(token, "^([%w._-]+):%w+:%d+$")
  if not worker then
    redis.call("HSETNX", job_key, "defa", reason)
    return { UNTOLD }
  end
  local notes_key = notes_base .. worker
  redis.call("HLEN", notes_key)
  redis.call("HSETNX", job_key, "defa", reason)
  redis.call("HSET", notes_key, job_id, token)
  redis.call("PEXPIRE", notes_key, notes_ttl_ms)
  return { TOLD }
end

local is_there, place = is_job(base, job_id), place_of(queue, job_id)
if not is_there or place == "completed" or place == "failed" then
  return refuse(queue, job_id, is_there)
end
return place == "active" and tell_worker() or remove()
