-- @include child_trouble
-- @include file_ends
-- @include finish_job
-- @include have_children
-- @include owned_jobs

-- Store the ends of these runs. Returns what came of each, 1 stored, 2 no such job, 3 lock lost, 4 not
-- active, 5 or 6 as in `child_trouble`, or 7 it has a parent that the caller does not tell; and how many
-- were stored. Of each that is stored, and of each job that a rule of retention removes, `others` is
-- told, where there are any to be told.
--
-- Whoever holds the lock decides; an outcome whose lock is gone or another's is refused alone and
-- changes nothing. The first write is one that a server out of memory takes, and so it takes the
-- rest.
local function store_ends(queue, meta, outcomes, now, others)
  local has_families = have_children(queue, outcomes)
  local owned = owned_jobs(queue, outcomes, function(outcome, has_parent)
    if has_parent and not others then
      return 7
    end
    return has_families and outcome.kind == "completed" and child_trouble(queue, outcome.id)
  end)
  local ended = { now = now, count = 0, completed = {}, failed = {}, rules = {}, others = others }
  if #owned.ids == 0 then
    return owned.jobs, 0
  end
  -- Looked at for their types: nothing may raise after the first write.
  redis.call("LLEN", queue.active_key)
  redis.call("ZCARD", queue.completed_key)
  redis.call("ZCARD", queue.failed_key)
  redis.call("XTRIM", queue.events_key, "MAXLEN", "~", meta.max_events)

  redis.call("SREM", queue.stalled_key, unpack(owned.ids))
  redis.call("DEL", unpack(owned.lock_keys))
  for index, job in ipairs(owned.jobs) do
    if type(job) == "table" then
      owned.jobs[index] = finish_job(queue, job, outcomes[index], ended)
    end
  end
  file_ends(queue, ended)
  meta.room = meta.room + ended.count
  meta.is_blocked = meta.is_paused or meta.room <= 0
  return owned.jobs, ended.count
end
