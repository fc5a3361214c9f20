-- @include believed_state
-- @include held_times

-- Take a job out of every state but one, of which it stays in once. Returns whether it was in more.
local function keep_one_place(queue, job, states)
  local kept, has_changed = believed_state(job, states), false
  for _, name in ipairs(states) do
    local key = queue.base .. name
    local extra = held_times(key, job.id) - (name == kept and 1 or 0)
    if extra > 0 then
      local is_list = redis.call("TYPE", key).ok == "list"
      redis.call(unpack(is_list and { "LREM", key, extra, job.id } or { "ZREM", key, job.id }))
      has_changed = true
    end
  end
  return has_changed
end
