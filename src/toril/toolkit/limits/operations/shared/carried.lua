-- Microseconds and parts of one, of which 2^20 make a whole: no fewer than none, nor all.
local function carried(us, parts)
  return us + math.floor(parts / 1048576), parts % 1048576
end
