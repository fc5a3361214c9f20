-- Whether the sender has given up this request, or a later one, for lost before it arrived.
local function is_fenced(fence_key, sequence)
  local fence = redis.call("GET", fence_key)
  return fence and tonumber(fence) >= tonumber(sequence)
end
