-- The numbers of a stored text such as `12:3:0`; three zeros when there is none.
local function read_numbers(key)
  local first, second, third = string.match(redis.call("GET", key) or "", "^(%d+):(%d+):?(%d*)$")
  return tonumber(first) or 0, tonumber(second) or 0, tonumber(third) or 0
end
