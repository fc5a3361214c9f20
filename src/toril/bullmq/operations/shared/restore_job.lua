-- @include announce
-- @include ended_key_of
-- @include make_ready
-- @include put_off
-- @include whole

-- Put a job that is in no state where its hash says that it belongs; ready ones are next.
local function restore_job(queue, meta, job, now)
  local ended_key = ended_key_of(queue, job.hash)
  local due = (tonumber(job.hash.timestamp) or 0) + (tonumber(job.hash.delay) or 0)
  if ended_key then
    redis.call("ZADD", ended_key, whole(job.hash.finishedOn) or now, job.id)
  elseif redis.call("EXISTS", queue.base .. job.id .. ":dependencies") == 1 then
    redis.call("ZADD", queue.waiting_children_key, now, job.id)
    announce(queue, "waiting-children", job.id)
  elseif due > now then
    put_off(queue, meta, job.id, due)
  else
    make_ready(queue, meta, job, "RPUSH")
    announce(queue, "waiting", job.id)
  end
end
