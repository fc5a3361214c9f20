-- A limit that a client has stored, or nil where it is none. Part of a job counts as one, as in Node.
local function limit_in(text)
  local LARGEST = 9007199254740991
  local limit = tonumber(text)
  return limit == limit and limit and math.ceil(math.min(limit, LARGEST)) or nil
end
