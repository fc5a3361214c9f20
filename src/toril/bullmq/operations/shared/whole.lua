-- The whole number that this text is, or nil where it is none: clients may have stored anything.
--
-- Only what Redis itself counts with, and a double still tells from its neighbours.
local function whole(text)
  local is_number = text == "0" or string.match(text or "", "^%-?[1-9]%d*$")
  return is_number and #text <= 16 and tonumber(text) or nil
end
