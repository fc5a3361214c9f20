-- @include job_fields
-- @include refusal_of
-- @include whole

-- Which of these outcomes may be stored: the job exists, the lock is still the sender's, and
-- `why_not`, which is told the outcome and whether the job has a parent, gives no reason.
--
-- Returns `jobs`, as long as the outcomes, with the job or the reason why not (as in `refusal_of`);
-- and the `ids` and the `lock_keys` of those that may. Only looks.
local function owned_jobs(queue, outcomes, why_not)
  local jobs, ids, lock_keys, wanted = {}, {}, {}, {}
  for index, outcome in ipairs(outcomes) do
    wanted[index] = queue.base .. outcome.id .. ":lock"
  end
  local owners = redis.call("MGET", unpack(wanted))
  for index, outcome in ipairs(outcomes) do
    local fields = job_fields(queue, outcome.id, "priority", "deid", "atm", "parentKey", "defa")
    local reason = refusal_of(outcome, fields, owners[index], why_not)
    if reason then
      jobs[index] = reason
    else
      jobs[index] = {
        id = outcome.id,
        priority = whole(fields[1]) or 0,
        deduplication_id = fields[2],
        attempts_made = (whole(fields[3]) or 0) + 1,
        is_doomed = fields[5] ~= false,
      }
      ids[#ids + 1], lock_keys[#lock_keys + 1] = outcome.id, wanted[index]
    end
  end
  return { jobs = jobs, ids = ids, lock_keys = lock_keys }
end
