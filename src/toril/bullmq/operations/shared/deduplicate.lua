-- @include keep_job
-- @include owner_of
-- @include replace_owner
-- @include tell_deduplicated
-- @include words_of

-- The job that stands for a new one with the same deduplication id, or nil when the new one is to
-- be stored; then also the words with which the id is to be taken for it.
--
-- A delayed owner gives way to a new job that replaces. Of those that come while the owner runs,
-- the last may be kept back: who finishes the owner adds it. Any other owner stays.
local function deduplicate(queue, meta, job)
  local rule = job.deduplication
  local owner = owner_of(queue, rule.id)
  if not owner then
    return nil, words_of(rule, false)
  elseif rule.replace and replace_owner(queue, meta, job, owner) then
    return nil, words_of(rule, true)
  end
  local is_kept = rule.keep_last and keep_job(queue, job, owner)
  if rule.replace and not is_kept then
    return owner
  elseif rule.extend then
    redis.call("PEXPIRE", queue.base .. "de:" .. rule.id, rule.ttl_ms)
  end
  tell_deduplicated(queue, meta, rule.id, owner, job.id)
  return owner
end
