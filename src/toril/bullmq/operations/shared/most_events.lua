-- @include whole

-- About how many events the stream keeps, by what the settings of the queue say.
local function most_events(text)
  return (whole(text) or -1) >= 0 and text or "10000"
end
