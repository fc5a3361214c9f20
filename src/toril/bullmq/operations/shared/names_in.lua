-- The names in a text of netstrings, `3:abc`, one after the other: any bytes may be in them.
local function names_in(packed)
  local names, at = {}, 1
  while at <= #packed do
    local colon = string.find(packed, ":", at, true)
    local length = tonumber(string.sub(packed, at, colon - 1))
    names[#names + 1] = string.sub(packed, colon + 1, colon + length)
    at = colon + length + 1
  end
  return names
end
