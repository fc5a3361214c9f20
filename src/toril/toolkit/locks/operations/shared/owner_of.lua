-- Token and fence of whoever holds the lock; nothing when nobody does.
local function owner_of(lock_key)
  local held = redis.call("GET", lock_key)
  if not held then
    return nil, nil
  end
  local token, fence = string.match(held, "^([^|]*)|(%d+)|")
  return token or "", tonumber(fence)
end
