-- @include whole

-- Note that an entry was changed now, so that nothing is stored that was sent before, and comes
-- within a minute: a request that is later was lost for good.
local function note_change(changed_key, time_us)
  redis.call("SET", changed_key, whole(time_us), "PX", 60000)
end
