-- The tokens of those who have the locks of these jobs, in their order; false where nobody has.
local function owners_of(base, ids)
  local owners = {}
  for first = 1, #ids, 1000 do
    local lock_keys = {}
    for index = first, math.min(first + 999, #ids) do
      lock_keys[#lock_keys + 1] = base .. ids[index] .. ":lock"
    end
    for offset, owner in ipairs(redis.call("MGET", unpack(lock_keys))) do
      owners[first + offset - 1] = owner
    end
  end
  return owners
end
