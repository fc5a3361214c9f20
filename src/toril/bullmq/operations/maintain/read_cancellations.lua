-- Which jobs that a worker holds were cancelled; notes about jobs it no longer holds are dropped.
--
-- A note stays as long as the lock that it speaks of: a worker that misses one reply, or is restarted
-- within its own process, finds it the next time.
--
-- keys    notes_key   hash of the notes to this worker: the token of the lock, by the id of the job
-- args    base        what the key of a job starts with
-- reply   {1, {id, token, id, token, ...}}
local notes_key = unpack(KEYS)
local base = unpack(ARGV)

local READ = 1

local notes = redis.call("HGETALL", notes_key)
local held = {}
for index = 1, #notes, 2 do
  local job_id, token = notes[index], notes[index + 1]
  if redis.pcall("GET", base .. job_id .. ":lock") == token then
    held[#held + 1] = job_id
    held[#held + 1] = token
  else
    redis.call("HDEL", notes_key, job_id)
  end
end
return { READ, held }
