-- Note the length of the event stream and who opened the queue first, as every client of it may.
--
-- keys    meta_key    settings of the queue
-- args    max_events  about how many events to keep; 0 leaves what is there, or 10,000
--         version     who we are; kept from whoever wrote it first
-- reply   {1}
local meta_key = unpack(KEYS)
local max_events, version = unpack(ARGV)

local OPENED = 1

if tonumber(max_events) > 0 then
  redis.call("HSET", meta_key, "opts.maxLenEvents", max_events)
else
  redis.call("HSETNX", meta_key, "opts.maxLenEvents", 10000)
end
redis.call("HSETNX", meta_key, "version", version)
return { OPENED }
