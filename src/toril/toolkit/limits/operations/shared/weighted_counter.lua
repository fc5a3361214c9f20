-- @include read_numbers
-- @include fits_after

-- Counts of this window and the one before, which weighs less with every millisecond of this one.
local function weighted_counter(row, now_us)
  local period_ms, limit = row[4], row[5]
  local now_ms = math.floor(now_us / 1000)
  local here = math.floor(now_ms / period_ms)
  local window, before, used = read_numbers(row[1])
  local gauge = {}

  local function roll(to)
    if to > window then
      before = to == window + 1 and used or 0
      window, used = to, 0
    end
  end

  function gauge.slot(cost)
    local after_ms = fits_after(limit - used - cost, before, period_ms)
    if after_ms == period_ms then
      after_ms = period_ms + fits_after(limit - cost, used, period_ms)
    end
    return math.max(now_us, (window * period_ms + after_ms) * 1000)
  end

  function gauge.take(cost, at_us)
    roll(math.floor(at_us / 1000 / period_ms))
    used = used + cost
  end

  function gauge.give(cost, at_us)
    local granted_in = math.floor(at_us / 1000 / period_ms)
    if granted_in == window then
      used = math.max(0, used - cost)
    elseif granted_in == window - 1 then
      before = math.max(0, before - cost)
    end
  end

  function gauge.left()
    local weight_ms = period_ms - (now_ms - window * period_ms)
    return window > here and 0 or limit - used - math.ceil(before * weight_ms / period_ms)
  end

  function gauge.neutral()
    local lasts = used > 0 and 2 or before > 0 and 1 or 0
    return math.max(now_us, (window + lasts) * period_ms * 1000)
  end

  function gauge.text()
    return string.format("%.0f:%.0f:%.0f", window, before, used)
  end

  roll(here)
  return gauge
end
