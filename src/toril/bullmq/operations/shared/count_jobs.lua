-- How many jobs wait, run and are put off. Raises when one of the keys holds a foreign type.
local function count_jobs(queue)
  return {
    waiting = redis.call("LLEN", queue.wait_key) + redis.call("ZCARD", queue.prioritized_key),
    active = redis.call("LLEN", queue.active_key),
    delayed = redis.call("ZCARD", queue.delayed_key),
  }
end
