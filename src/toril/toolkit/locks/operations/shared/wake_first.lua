-- @include first_waiter
-- @include wake
-- @include now_us

-- The lock is free: tell the one whose turn it is, and nobody else.
local function wake_first(waiters_key, seen_key)
  local first = first_waiter(waiters_key, seen_key, now_us())
  if first then
    wake(waiters_key, first)
  end
end
