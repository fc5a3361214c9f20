-- How to read entries `moment:cost` of a list: a function of their place, which asks for many at
-- once.
local function read_log(key)
  local page, first = {}, 1
  return function(index)
    if index < first or index >= first + #page then
      first = index
      page = redis.call("LRANGE", key, index, index + 99)
    end
    local at_us, cost = string.match(page[index - first + 1] or "", "^(%d+):(%d+)$")
    return tonumber(at_us), tonumber(cost)
  end
end
