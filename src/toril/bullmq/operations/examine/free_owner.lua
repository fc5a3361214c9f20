-- Free a deduplication id whose job is gone or has ended, and that nothing else would free.
--
-- keys    owner_key   names the job; then those of the queue
-- args    base        what the keys of the queue start with
-- reply   {1, {deed, ...}}   freed
local owner_key = unpack(KEYS)
local base = unpack(ARGV)

-- @include held_times
-- @include queue_at

local HEALED = 1

local queue = queue_at(base)
local is_string = redis.call("TYPE", owner_key).ok == "string"
local owner = is_string and redis.call("PTTL", owner_key) == -1 and redis.call("GET", owner_key)
if not owner then
  return { HEALED, {} }
end
local has_ended = held_times(queue.completed_key, owner) + held_times(queue.failed_key, owner) > 0
if has_ended or redis.call("EXISTS", base .. owner) == 0 then
  redis.call("DEL", owner_key)
  return { HEALED, { "freed" } }
end
return { HEALED, {} }
