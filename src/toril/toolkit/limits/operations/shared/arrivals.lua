-- @include read_numbers
-- @include carried
-- @include span_of
-- @include intervals_in

-- The generic cell rate algorithm: one moment, which every grant moves on by what it costs; see
-- `span_of` for its parts.
-- A grant is due when that moment is ahead of it by no more than the burst. `latest` is the latest
-- moment anything was granted for. A refund gives back no more than what has not been made up for
-- by then, so that what remains granted keeps to the limit as if the refunded had never been.
local function arrivals(row, now_us)
  local interval_us, burst, interval_parts = row[4], row[5], row[6]
  -- A hundred years from now: a Lua number counts the microseconds until then one by one.
  local farthest_us = now_us + 3155760000000000
  local reached_us, latest_us, reached_parts = read_numbers(row[1])
  local gauge = {}

  function gauge.slot(cost)
    local early_us, early_parts = span_of(burst - cost, interval_us, interval_parts)
    return math.max(now_us, reached_us - early_us + (reached_parts > early_parts and 1 or 0))
  end

  function gauge.take(cost, at_us)
    if reached_us < at_us then
      reached_us, reached_parts = at_us, 0
    end
    local us, parts = span_of(cost, interval_us, interval_parts)
    reached_us, reached_parts = carried(reached_us + us, reached_parts + parts)
    if reached_us >= farthest_us then
      reached_us, reached_parts = farthest_us, 0
    end
    latest_us = math.max(latest_us, at_us)
  end

  function gauge.give(cost, at_us)
    local us, parts = span_of(cost, interval_us, interval_parts)
    us = us - (math.max(now_us, latest_us) - at_us)
    if us >= 0 then
      reached_us, reached_parts = carried(reached_us - us, reached_parts - parts)
    end
  end

  function gauge.left()
    local us, parts = span_of(burst, interval_us, interval_parts)
    if reached_us >= now_us then
      us, parts = us - (reached_us - now_us), parts - reached_parts
    end
    return intervals_in(us, parts, interval_us, interval_parts)
  end

  function gauge.neutral()
    return math.max(now_us, reached_us + (reached_parts > 0 and 1 or 0))
  end

  function gauge.text()
    return string.format("%.0f:%.0f:%.0f", reached_us, latest_us, reached_parts)
  end

  return gauge
end
