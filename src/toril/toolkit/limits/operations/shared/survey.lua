-- The first moment at which all limits allow their cost, and that of each; -1 for never.
local function survey(rows, gauges, now_us)
  local at_us, slots = now_us, {}
  for index, row in ipairs(rows) do
    slots[index] = row[3] > row[5] and -1 or gauges[index].slot(row[3])
    at_us = (slots[index] < 0 or at_us < 0) and -1 or math.max(at_us, slots[index])
  end
  return at_us, slots
end
