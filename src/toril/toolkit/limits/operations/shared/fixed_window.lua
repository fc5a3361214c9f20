-- @include read_numbers

-- A count for the window that is open, or for a later one in which a slot is reserved already.
--
-- Once it is for a later one, nothing is granted before that, even if the slot is given back: what
-- was granted in the earlier ones is not known any more.
-- `owed` is debt beyond this window: it uses up the next ones, each as far as it goes, for
-- a hundred years at most: a Lua number counts the microseconds until then one by one.
local function fixed_window(row, now_us)
  local period_us, limit, is_aligned = row[4], row[5], row[6] == 1
  local most_owed = math.ceil(3155760000000000 / period_us) * limit
  local start_us, used, owed = read_numbers(row[1])
  local gauge = {}
  local function roll(at_us)
    local passed = math.floor((at_us - start_us) / period_us)
    if passed > 0 then
      local due = math.max(0, owed - (passed - 1) * limit)
      used, owed = math.min(due, limit), math.max(0, due - limit)
      start_us = (is_aligned or used > 0) and start_us + passed * period_us or at_us
    end
  end

  function gauge.slot(cost)
    if used + cost <= limit then
      return math.max(now_us, start_us)
    end
    return start_us + (1 + math.max(0, math.ceil((owed + cost - limit) / limit))) * period_us
  end

  function gauge.neutral()
    local lasts = used > 0 and 1 + math.ceil(owed / limit) or 0
    return math.max(now_us, start_us + lasts * period_us)
  end

  function gauge.take(cost, at_us)
    roll(at_us)
    local beyond = math.max(0, cost - math.max(0, limit - used))
    used = used + cost - beyond
    owed = math.min(owed + beyond, most_owed)
  end

  function gauge.give(cost, at_us)
    if at_us >= start_us and at_us < start_us + period_us then
      local relief = math.min(owed, cost)
      owed = owed - relief
      used = math.max(0, used - (cost - relief))
    end
  end

  function gauge.left()
    return start_us > now_us and 0 or limit - used
  end

  function gauge.text()
    return string.format("%.0f:%.0f:%.0f", start_us, used, owed)
  end

  roll(now_us)
  return gauge
end
