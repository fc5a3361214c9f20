-- The writers of an entry by their tokens; those whose time is over, killed or cut off, are
-- forgotten. The second result is how many there are.
--
-- The hash has under each token "<end in microseconds> <plain or versioned> <alone or overtaken>",
-- and under `state` a mark that is another after every change of who writes.
local function living_writers(writers_key, time_us)
  local writers, count = {}, 0
  local flat = redis.call("HGETALL", writers_key)
  for index = 1, #flat, 2 do
    local token = flat[index]
    local ends_us, kind, fate = string.match(flat[index + 1], "^(%d+) (%a+) (%a+)$")
    if ends_us and tonumber(ends_us) >= time_us then
      writers[token] = { ends_us = ends_us, kind = kind, fate = fate }
      count = count + 1
    elseif ends_us then
      redis.call("HDEL", writers_key, token)
    end
  end
  return writers, count
end
