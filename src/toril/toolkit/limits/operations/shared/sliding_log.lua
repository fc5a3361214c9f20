-- @include read_log
-- @include strike_out

-- One entry for each grant, oldest first, behind the total of what they cost.
--
-- Grants are never out of order, so a new one is checked against every window it could overfill.
-- Entries that have left the window go when something is granted, never when it is refused.
local function sliding_log(row, now_us)
  local key, period_us, limit = row[1], row[4], row[5]
  local entry = read_log(key)
  local newest_us = tonumber(string.match(redis.call("LINDEX", key, -1) or "", "^(%d+):")) or 0
  local gone, used = 0, tonumber(redis.call("LINDEX", key, 0) or 0)
  while (entry(gone + 1) or now_us) <= now_us - period_us do
    gone, used = gone + 1, used - select(2, entry(gone + 1))
  end
  local gauge = {}

  local function forget_gone()
    redis.call("LTRIM", key, gone + 1, -1)
    if used > 0 then
      redis.call("LPUSH", key, used)
    end
  end

  function gauge.slot(wanted)
    local need, index = used + wanted - limit, gone
    local slot_us = math.max(now_us, newest_us)
    while need > 0 do
      index = index + 1
      local granted_us, freed = entry(index)
      need, slot_us = need - freed, math.max(slot_us, granted_us + period_us)
    end
    return slot_us
  end

  function gauge.take(taken, granted_us)
    newest_us = math.max(newest_us, granted_us)
    used = used + taken
    forget_gone()
    redis.call("RPUSH", key, string.format("%.0f:%.0f", newest_us, taken))
    redis.call("PEXPIRE", key, math.ceil((newest_us + period_us - now_us) / 1000) + 1)
  end

  function gauge.give(back, granted_us, taken)
    if granted_us > now_us - period_us and strike_out(key, granted_us, taken, back) then
      used = used - back
      forget_gone()
    end
  end

  function gauge.left()
    return newest_us > now_us and 0 or limit - used
  end

  function gauge.neutral()
    return used > 0 and newest_us + period_us or now_us
  end

  return gauge
end
