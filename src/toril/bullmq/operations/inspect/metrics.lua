-- How many jobs ended in one way, minute by minute.
--
-- keys    metrics_key, data_key
-- args    first, last   places in the list of minutes, the newest of which is 0
-- reply   {1, total, closed_at_ms, closed_total, minutes, {count, ...}}
--         the first three as they are stored, nil when they are not: all that ended; when the
--         newest minute of the list was closed, and how many had ended then
local metrics_key, data_key = unpack(KEYS)
local first, last = unpack(ARGV)

local READ = 1

local stored = redis.call("HMGET", metrics_key, "count", "prevTS", "prevCount")
return {
  READ,
  stored[1],
  stored[2],
  stored[3],
  redis.call("LLEN", data_key),
  redis.call("LRANGE", data_key, first, last),
}
