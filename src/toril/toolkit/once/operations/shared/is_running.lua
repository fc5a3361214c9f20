-- Whether this owner's run goes on.
local function is_running(run_key, owner)
  local runner, state = unpack(redis.call("HMGET", run_key, "owner", "state"))
  return runner == owner and state == "running"
end
