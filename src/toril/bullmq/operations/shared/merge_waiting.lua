-- Bring the jobs of `wait` and of `paused` together in one of these lists, for `target_key`.
--
-- Both may hold jobs when clients of several versions share the queue, so neither is ever put in
-- the place of the other. Those of `paused` are taken before those of `wait`. Moves the fewer.
local function merge_waiting(queue, target_key)
  local waiting = redis.call("LLEN", queue.wait_key)
  local paused = redis.call("LLEN", queue.paused_key)
  local whole_key = waiting < paused and queue.paused_key or queue.wait_key
  for _ = 1, math.min(waiting, paused) do
    if whole_key == queue.paused_key then
      redis.call("LMOVE", queue.wait_key, whole_key, "RIGHT", "LEFT")
    else
      redis.call("LMOVE", queue.paused_key, whole_key, "LEFT", "RIGHT")
    end
  end
  if whole_key ~= target_key and waiting + paused > 0 then
    redis.call("RENAME", whole_key, target_key)
  end
end
