-- @include detach_child
-- @include note_child
-- @include parent_of

-- Tell the parent of a job, if it has one, that the job has ended. A failure about which nothing was
-- said when the job was added leaves the parent waiting, unless the job is removed at once.
local function tell_parent(queue, job, outcome, now)
  local parent = parent_of(queue, job.id)
  if not parent then
    return
  end
  local child = { key = queue.base .. job.id, text = outcome.text }
  local policy = outcome.kind == "completed" and "done" or parent.on_failure
  if policy then
    note_child(parent, child, policy, now)
  elseif outcome.keep.count == 0 then
    detach_child(parent, child.key)
  end
end
