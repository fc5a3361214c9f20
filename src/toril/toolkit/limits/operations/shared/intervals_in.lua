-- @include span_of

-- How many whole intervals fit into so many microseconds and parts of one.
local function intervals_in(room_us, room_parts, interval_us, interval_parts)
  local PARTS = 1048576
  -- A division rounds, so what it says may be one too many or too few.
  local about = (room_us + room_parts / PARTS) / (interval_us + interval_parts / PARTS)
  for count = math.floor(about) + 1, 1, -1 do
    local us, parts = span_of(count, interval_us, interval_parts)
    if (room_us - us) * PARTS + room_parts - parts >= 0 then
      return count
    end
  end
  return 0
end
