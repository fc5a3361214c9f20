-- Prolong the locks of jobs that were claimed by requests whose replies nobody has read yet, and take
-- the jobs from the list of suspected stalls.
--
-- keys    active_key    ids of running jobs
--         stalled_key   ids that were active at the last check for stalls
-- args    base          what the key of a job starts with
--         lock_ms       length of a lock from now
--         packed        msgpack: a list of the tokens of those requests
-- reply   {1, count}    so many locks are prolonged
local active_key, stalled_key = unpack(KEYS)
local base, lock_ms, packed = unpack(ARGV)

-- @include owners_of

local RENEWED = 1

local is_unread, count = {}, 0
for _, token in ipairs(cmsgpack.unpack(packed)) do
  is_unread[token] = true
end
local active = redis.call("LRANGE", active_key, 0, -1)
for index, owner in ipairs(owners_of(base, active)) do
  if owner and is_unread[owner] then
    redis.call("PEXPIRE", base .. active[index] .. ":lock", lock_ms)
    redis.call("SREM", stalled_key, active[index])
    count = count + 1
  end
end
return { RENEWED, count }
