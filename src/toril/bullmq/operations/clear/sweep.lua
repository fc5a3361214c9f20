-- Remove what an obliterated queue has left: keys that no job of it led to, and toril's own beside it.
--
-- Stops when somebody has added to the queue again: then keys may be in use. What begins like a key
-- of this queue may be one of another queue, whose prefix is this one's prefix and name: it stays.
--
-- keys    id_key      counter of the queue's ids; no job is added without it
-- args    base        what the keys of the queue start with
--         own_base    what toril's own keys beside it start with
--         cursor      where to go on among all keys of the server; 0 to begin
-- reply   {1, cursor} where to go on; 0 when all is done
local id_key = unpack(KEYS)
local base, own_base, cursor = unpack(ARGV)

local SWEPT = 1

-- What comes after the beginning of the key, if the key is of this queue.
local function own_part(key, beginning)
  if string.sub(key, 1, #beginning) ~= beginning then
    return nil
  end
  local part = string.sub(key, #beginning + 1)
  local first = string.match(part, "^([^:]*):")
  local is_another = first
    and redis.call("EXISTS", base .. first .. ":meta", base .. first .. ":id") > 0
  return not is_another and part or nil
end

if redis.call("EXISTS", id_key) == 1 then
  return { SWEPT, "0" }
end
local pattern = "*" .. string.gsub(base, "[%*%?%[%]\\%^%-]", "\\%0") .. "*"
local next_cursor, keys = unpack(redis.call("SCAN", cursor, "MATCH", pattern, "COUNT", 1000))
for _, key in ipairs(keys) do
  if own_part(key, base) or own_part(key, own_base) then
    redis.call("DEL", key)
  end
end
return { SWEPT, next_cursor }
