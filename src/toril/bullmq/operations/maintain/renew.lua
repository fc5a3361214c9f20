-- Prolong the locks of running jobs, and take the jobs from the list of suspected stalls.
--
-- Prolongs by PEXPIRE after looking at the owner: a server out of memory refuses to SET, and then
-- jobs would run twice.
--
-- keys    stalled_key   ids that were active at the last check for stalls
-- args    base          what the key of a job starts with
--         lock_ms       length of a lock from now
--         packed        msgpack: a list of {id, token}
-- reply   {1, {index, ...}}  the places of those whose lock is gone or another's
local stalled_key = unpack(KEYS)
local base, lock_ms, packed = unpack(ARGV)

local RENEWED = 1

local lost, kept = {}, {}
for index, lease in ipairs(cmsgpack.unpack(packed)) do
  local job_id, token = unpack(lease)
  local lock_key = base .. job_id .. ":lock"
  local owner = redis.pcall("GET", lock_key)
  if owner == token then
    redis.call("PEXPIRE", lock_key, lock_ms)
    kept[#kept + 1] = job_id
  else
    lost[#lost + 1] = index
  end
end
if #kept > 0 then
  redis.call("SREM", stalled_key, unpack(kept))
end
return { RENEWED, lost }
