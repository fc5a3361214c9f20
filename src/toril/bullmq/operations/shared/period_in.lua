-- A period that a client has stored, in milliseconds, or nil where it is none. Neither its sign nor
-- part of a millisecond counts, as in Node.
local function period_in(text)
  local period_ms = math.floor(math.abs(tonumber(text) or 0))
  return period_ms > 0 and period_ms < 2 ^ 53 and period_ms or nil
end
