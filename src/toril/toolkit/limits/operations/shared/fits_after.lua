-- Milliseconds into a window until what weighs less and less fits into the room; the period when
-- it never does.
local function fits_after(room, weight, period_ms)
  if room < 0 then
    return period_ms
  end
  return weight <= room and 0 or period_ms - math.floor(room * period_ms / weight)
end
