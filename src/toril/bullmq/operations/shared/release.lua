-- Take these jobs from the active ones, each with its lock, and have `put` store where it goes.
--
-- In its place in the list of jobs stays what came of it: 1 stored, 4 it was not active. The first
-- write frees memory, so that a server out of memory goes on with the rest.
local function release(queue, owned, outcomes, put)
  redis.call("SREM", queue.stalled_key, unpack(owned.ids))
  redis.call("DEL", unpack(owned.lock_keys))
  for index, job in ipairs(owned.jobs) do
    if type(job) == "table" then
      local fields = outcomes[index].fields
      if #fields > 0 then
        redis.call("HSET", queue.base .. job.id, unpack(fields))
      end
      local was_active = redis.call("LREM", queue.active_key, -1, job.id) == 1
      if was_active then
        put(job, outcomes[index])
      end
      owned.jobs[index] = was_active and 1 or 4
    end
  end
end
