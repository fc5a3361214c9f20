-- A limit that a client has stored, or nil where it is none. Part of a job counts as one, as in Node.
local function limit_in(text)
  local limit = tonumber(text)
  return limit == limit and limit and math.ceil(math.min(limit, 2 ^ 53 - 1)) or nil
end
