-- @include announce
-- @include make_ready

-- Move delayed jobs to where workers take them from.
--
-- Pushes before it removes: a server that is out of memory refuses the push, and then nothing
-- has happened.
local function promote(queue, meta, due)
  for _, job in ipairs(due) do
    make_ready(queue, meta, job, "LPUSH")
    announce(queue, "waiting", job.id, "prev", "delayed")
    redis.call("HSET", queue.base .. job.id, "delay", 0)
    redis.call("ZREM", queue.delayed_key, job.id)
  end
end
