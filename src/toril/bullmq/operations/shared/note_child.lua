-- @include fail_parent
-- @include resume_parent

local NOTES = { done = ":processed", cpof = ":failed", idof = ":failed" }

-- Note with a parent that a child has ended, if it still waits for that one: `done`, or the option
-- that says what a failure means: `fpof` the parent fails too, `cpof` it goes on at once, `idof` and
-- `rdof` the child counts as done.
local function note_child(parent, child, policy, now)
  if redis.call("SREM", parent.key .. ":dependencies", child.key) == 0 then
    return
  end
  if NOTES[policy] then
    redis.call("HSET", parent.key .. NOTES[policy], child.key, child.text)
  end
  if policy == "fpof" then
    fail_parent(parent, child.key, now)
  elseif policy == "cpof" or redis.call("SCARD", parent.key .. ":dependencies") == 0 then
    resume_parent(parent, now)
  end
end
