-- @include limit_in
-- @include most_events
-- @include period_in

-- The settings of the queue that decide where a job may go.
--
-- `list_key` is where waiting jobs are now; `is_blocked` says that none may be taken: the queue is
-- paused, or as many jobs are active as it allows. Existence is what pauses a queue, not a value.
-- What is no limit counts as none.
local function read_meta(queue)
  local fields = { "paused", "concurrency", "max", "duration", "opts.maxLenEvents" }
  local paused, concurrency, max, duration_ms, max_events =
    unpack(redis.call("HMGET", queue.meta_key, unpack(fields)))
  local room, limit = math.huge, limit_in(concurrency)
  if limit then
    room = limit - redis.call("LLEN", queue.active_key)
  end
  return {
    is_paused = paused ~= false,
    is_blocked = paused ~= false or room <= 0,
    list_key = paused and queue.paused_key or queue.wait_key,
    room = room,
    rate_max = limit_in(max),
    rate_duration_ms = period_in(duration_ms),
    max_events = most_events(max_events),
  }
end
