-- Bring one job into order, whatever is wrong with it: it is in no state, in several, or gone.
--
-- Everything is looked at anew: between the finding and this call others may have worked. What
-- belongs to a job that is gone goes; one that is in no state goes back where its hash says; a lock
-- lives no longer than the run.
--
-- keys    job_key   the hash of the job; then those of the queue
-- args    base      what the keys of the queue start with
--         job_id
--         lock_ms   for a lock that never expires: its worker, if it lives, renews it
-- reply   {1, {deed, ...}}   dropped, restored, settled, unlocked, limited, kept, cleared
local job_key = unpack(KEYS)
local base, job_id, lock_ms = unpack(ARGV)

-- @include check_types
-- @include drop_job
-- @include held_times
-- @include job_keys
-- @include keep_one_place
-- @include now_ms
-- @include queue_at
-- @include read_meta
-- @include restore_job
-- @include states_of
-- @include what_is_left
-- @include whole

local HEALED = 1

local queue, deeds, lock_key = queue_at(base), {}, job_key .. ":lock"

local function note(deed, has_changed)
  if has_changed then
    deeds[#deeds + 1] = deed
  end
end

local function heal_lock()
  if held_times(queue.active_key, job_id) == 0 then
    note("unlocked", redis.call("DEL", lock_key) == 1)
  elseif redis.call("PTTL", lock_key) == -1 then
    note("limited", redis.call("PEXPIRE", lock_key, lock_ms) == 1)
  end
end

local function heal(hash, states)
  local job = { id = job_id, hash = hash, priority = whole(hash.priority) or 0 }
  if #states == 0 then
    restore_job(queue, read_meta(queue), job, tonumber(now_ms(0)))
    note("restored", true)
  end
  note("settled", keep_one_place(queue, job, states))
  heal_lock()
  for _, key in ipairs(job_keys(queue, job_id)) do
    note("kept", redis.call("PERSIST", key) == 1)
  end
end

check_types(queue)
redis.call("SCARD", queue.stalled_key)
local states = states_of(queue, job_id)
local hash, left = what_is_left(job_key)
if left == "ghost" then
  note("dropped", drop_job(queue, job_id, states))
elseif left == "whole" then
  heal(hash, states)
end
if held_times(queue.active_key, job_id) == 0 then
  note("cleared", redis.call("SREM", queue.stalled_key, job_id) == 1)
end
return { HEALED, deeds }
