-- @include check_types
-- @include read_meta

-- Whether a parent exists and its keys are what they must be. Where one has a foreign type, or they
-- lie in another slot of a cluster, nothing may be written: it would raise half-way.
local function can_look_at(parent)
  local went_well, exists = pcall(function()
    check_types(parent.queue)
    read_meta(parent.queue)
    redis.call("ZCARD", parent.queue.waiting_children_key)
    redis.call("ZCARD", parent.queue.failed_key)
    redis.call("SCARD", parent.key .. ":dependencies")
    redis.call("HLEN", parent.key .. ":processed")
    redis.call("HLEN", parent.key .. ":failed")
    redis.call("ZCARD", parent.key .. ":unsuccessful")
    return redis.call("HLEN", parent.key) > 0
  end)
  return went_well and exists
end
