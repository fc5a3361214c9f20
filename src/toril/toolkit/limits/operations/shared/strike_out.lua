-- Make an entry of a list cheaper, or remove it when nothing is left of it; nothing if there is none.
local function strike_out(key, at_us, cost, back)
  local text = string.format("%.0f:%.0f", at_us, cost)
  local index = redis.call("LPOS", key, text, "RANK", -1)
  if index and cost > back then
    redis.call("LSET", key, index, string.format("%.0f:%.0f", at_us, cost - back))
  elseif index then
    redis.call("LREM", key, -1, text)
  end
  return index
end
