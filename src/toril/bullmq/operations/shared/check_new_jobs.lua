-- @include check_types
-- @include whole

-- Raise before anything is written when a key that a new job needs holds a foreign type.
local function check_new_jobs(queue)
  check_types(queue)
  if not whole(redis.call("GET", queue.id_key) or "0") then
    error("the id counter is not a number")
  end
end
