-- What is answered: the verdict, then for each limit its slot, what is left, and when all is.
local function ruling(verdict, gauges, slots)
  local reply = { unpack(verdict) }
  for index, gauge in ipairs(gauges) do
    reply[#reply + 1] = slots[index]
    reply[#reply + 1] = math.max(0, gauge.left())
    reply[#reply + 1] = gauge.neutral()
  end
  return reply
end
