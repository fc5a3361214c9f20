-- A period that a client has stored, in milliseconds, or nil where it is none. Neither its sign nor
-- part of a millisecond counts, as in Node.
local function period_in(text)
  local LONGEST = 9007199254740991
  local period_ms = math.floor(math.abs(tonumber(text) or 0))
  return period_ms > 0 and period_ms <= LONGEST and period_ms or nil
end
