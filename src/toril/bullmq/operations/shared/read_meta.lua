-- The settings of the queue that decide where a job may go.
--
-- `list_key` is where waiting jobs are now; `is_blocked` says that none may be taken: the queue is
-- paused, or as many jobs are active as it allows. Existence is what pauses a queue, not a value.
local function read_meta(queue)
  local fields = { "paused", "concurrency", "max", "duration", "opts.maxLenEvents" }
  local paused, concurrency, max, duration_ms, max_events =
    unpack(redis.call("HMGET", queue.meta_key, unpack(fields)))
  local room = math.huge
  if tonumber(concurrency) then
    room = tonumber(concurrency) - redis.call("LLEN", queue.active_key)
  end
  return {
    is_paused = paused ~= false,
    is_blocked = paused ~= false or room <= 0,
    list_key = paused and queue.paused_key or queue.wait_key,
    room = room,
    rate_max = tonumber(max),
    rate_duration_ms = tonumber(duration_ms),
    max_events = string.match(max_events or "", "^%d+$") or "10000",
  }
end
