-- What a key holds: {type, time to live in ms, {content, ...}}. Only looks.
--
-- `how` is what there is to know of it: `all`, `names` (of a hash: its fields without their values)
-- or `type`. Of a string the beginning is enough.
local function key_row(key, how)
  local kind = redis.call("TYPE", key).ok
  local readers = {
    string = { all = { "GETRANGE", key, "0", "4095" } },
    hash = { all = { "HGETALL", key }, names = { "HKEYS", key } },
    set = { all = { "SMEMBERS", key } },
    zset = { all = { "ZRANGE", key, "0", "-1", "WITHSCORES" } },
  }
  local command = readers[kind] and (readers[kind][how] or how == "names" and readers[kind].all)
  local content = command and redis.call(unpack(command)) or {}
  return { kind, redis.call("PTTL", key), type(content) == "table" and content or { content } }
end
