-- @include deduplicate
-- @include give_id
-- @include store_job
-- @include tell

-- Add a new job and return true; or false when another one stands for it, whose id it then has.
--
-- The deduplication id is taken when the job is stored, never before.
local function add_job(queue, meta, job)
  if not give_id(queue, job) then
    tell(queue, meta, "duplicated", job.id)
    return false
  elseif not job.deduplication then
    store_job(queue, meta, job)
    return true
  end
  local owner, words = deduplicate(queue, meta, job)
  if owner then
    job.id = owner
    return false
  end
  store_job(queue, meta, job)
  redis.call("SET", queue.base .. "de:" .. job.deduplication.id, job.id, unpack(words))
  redis.call("DEL", queue.base .. "dn:" .. job.deduplication.id)
  return true
end
