-- @include read_numbers

-- The generic cell rate algorithm: one moment, which every grant moves on by what it costs.
--
-- A grant is due when that moment is ahead of it by no more than the burst. `latest` is the latest
-- moment anything was granted for. A refund gives back no more than what has not been made up for
-- by then, so that what remains granted keeps to the limit as if the refunded had never been.
local function arrivals(row, now_us)
  local interval_us, burst = row[4], row[5]
  -- A hundred years from now: a Lua number counts the microseconds until then one by one.
  local farthest_us = now_us + 3155760000000000
  local reached_us, latest_us = read_numbers(row[1])
  local gauge = {}

  function gauge.slot(cost)
    return math.max(now_us, reached_us + (cost - burst) * interval_us)
  end

  function gauge.take(cost, at_us)
    reached_us = math.min(math.max(reached_us, at_us) + cost * interval_us, farthest_us)
    latest_us = math.max(latest_us, at_us)
  end

  function gauge.give(cost, at_us)
    local credit_us = cost * interval_us - (math.max(now_us, latest_us) - at_us)
    reached_us = reached_us - math.max(0, credit_us)
  end

  function gauge.left()
    local ahead_us = math.max(reached_us - now_us, 0)
    return math.floor((burst * interval_us - ahead_us) / interval_us)
  end

  function gauge.neutral()
    return math.max(now_us, reached_us)
  end

  function gauge.text()
    return string.format("%.0f:%.0f", reached_us, latest_us)
  end

  return gauge
end
