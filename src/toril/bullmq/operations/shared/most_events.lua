-- @include whole

-- About how many events the stream keeps, by what the settings of the queue say.
local function most_events(text)
  local most = whole(text)
  return most and most >= 0 and text or "10000"
end
