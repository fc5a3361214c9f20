-- Some of the ids that a list or a sorted set holds, and how many it holds in all. Only looks.
--
-- A list begins at its right end, where the next job is, a set at its lowest score; `turned` begins
-- at the other end.
local function ids_at(key, start, count, turned)
  local kind = redis.call("TYPE", key).ok
  if count == 0 or kind == "none" then
    return {}, 0
  elseif kind == "zset" then
    local range = turned and "ZREVRANGE" or "ZRANGE"
    return redis.call(range, key, start, start + count - 1), redis.call("ZCARD", key)
  end
  local length = redis.call("LLEN", key)
  if turned then
    return redis.call("LRANGE", key, start, start + count - 1), length
  end
  local ids = redis.call("LRANGE", key, -start - count, -start - 1)
  local from_the_right = {}
  for number = #ids, 1, -1 do
    from_the_right[#from_the_right + 1] = ids[number]
  end
  return from_the_right, length
end
