-- @include carried

-- So many intervals, in microseconds and parts of one. Parts are as fine as a Lua number still
-- counts those of 2^31 intervals one by one.
local function span_of(count, interval_us, interval_parts)
  return carried(count * interval_us, count * interval_parts)
end
