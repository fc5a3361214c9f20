-- @include rate_room

-- How many of the wanted jobs may be taken now; and how long the rate limit lasts, 0 without one.
local function room_for(queue, meta, want)
  local rate_left, limited_ms = rate_room(queue, meta)
  if meta.is_blocked then
    return 0, limited_ms
  end
  return math.min(want, meta.room, rate_left), limited_ms
end
