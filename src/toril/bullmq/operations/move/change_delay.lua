-- Put a delayed job off anew, counted from now.
--
-- keys    job_key    the hash of the job; then those of the queue
-- args    base       what the keys of the queue start with
--         job_id
--         delay_ms   from now
--         clock_ms   a frozen clock, or 0 for the server's
-- reply   {1}        it is due then
--         {2, place} it is not delayed; the last part of the key that holds its id, or ""
--         {0}        there is no such job
local job_key = unpack(KEYS)
local base, job_id, delay_ms, clock_ms = unpack(ARGV)

-- @include check_types
-- @include job_fields
-- @include now_ms
-- @include put_off
-- @include queue_at
-- @include read_meta
-- @include refuse

local MOVED = 1

local queue = queue_at(base)
check_types(queue)
local is_there = job_fields(queue, job_id) ~= nil
if not (is_there and redis.call("ZSCORE", queue.delayed_key, job_id)) then
  return refuse(queue, job_id, is_there)
end
local meta = read_meta(queue)
redis.call("HSET", job_key, "delay", delay_ms)
put_off(queue, meta, job_id, tonumber(now_ms(clock_ms)) + tonumber(delay_ms))
return { MOVED }
