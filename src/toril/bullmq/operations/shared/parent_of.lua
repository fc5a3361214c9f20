-- @include can_look_at
-- @include queue_at
-- @include read_object

-- The parent that a job is a child of, or nil. Only looks.
--
-- `on_failure` is the option that says what becomes of it when this child fails, if any does. A parent
-- that is gone, or cannot be looked at, counts as none.
local function parent_of(queue, job_id)
  local links = redis.pcall("HMGET", queue.base .. job_id, "parentKey", "parent")
  local base, id = string.match(links[1] or "", "^(.*:)([^:]*)$")
  if not base then
    return nil
  end
  local parent, link = { id = id, key = base .. id, queue = queue_at(base) }, read_object(links[2])
  for _, policy in ipairs({ "rdof", "idof", "cpof", "fpof" }) do
    if link[policy] == true then
      parent.on_failure = policy
    end
  end
  return can_look_at(parent) and parent or nil
end
