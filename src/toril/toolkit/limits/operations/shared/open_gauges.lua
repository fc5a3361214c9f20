-- @include arrivals
-- @include fixed_window
-- @include sliding_log
-- @include sliding_counter
-- @include weighted_counter
-- @include keep_until

-- What each limit says, read but not changed: one table of functions for each row.
--
-- A row is `{key, kind, cost, ...}`; the fifth is what may be granted at once, whatever the kind,
-- and the rest is what this kind counts with. Most keep their state in one text, the log in a list.
local function open_gauges(rows, now_us)
  local kinds = {
    arrivals = arrivals,
    fixed = fixed_window,
    log = sliding_log,
    counter = sliding_counter,
    weighted = weighted_counter,
  }
  local gauges = {}
  for index, row in ipairs(rows) do
    local gauge = kinds[row[2]](row, now_us)
    function gauge.store()
      if gauge.text then
        keep_until(row[1], gauge.text(), gauge.neutral(), now_us)
      end
    end
    gauges[index] = gauge
  end
  return gauges
end
