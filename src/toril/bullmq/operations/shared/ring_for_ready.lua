-- @include ring

-- Tell one sleeping worker of jobs that wait, if there are any and they may be taken.
local function ring_for_ready(queue, meta)
  local listed = redis.call("LLEN", meta.list_key)
  if listed + redis.call("ZCARD", queue.prioritized_key) > 0 then
    ring(queue, meta)
  end
end
