-- Tell one sleeping worker that there may be a job to take, unless none may be taken.
local function ring(queue, meta)
  if not meta.is_blocked then
    redis.call("ZADD", queue.marker_key, "0", "0")
  end
end
