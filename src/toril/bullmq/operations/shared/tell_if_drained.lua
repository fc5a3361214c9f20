-- @include count_jobs
-- @include rate_room

-- Add an event when nothing waits and nothing runs any more. To a sender that claims as well, a
-- queue with delayed jobs, or one that a limit or a pause keeps from giving jobs, is not drained yet.
local function tell_if_drained(queue, meta, claims)
  local counts = count_jobs(queue)
  if counts.waiting + counts.active > 0 then
    return
  end
  local _, limited_ms = rate_room(queue, meta)
  if claims and (meta.is_paused or limited_ms > 0 or counts.delayed > 0) then
    return
  end
  redis.call("XADD", queue.events_key, "*", "event", "drained")
end
