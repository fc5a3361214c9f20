-- Take a token out of the line, wherever it stands.
local function leave_line(line, token)
  if redis.call("ZREM", line.alive_key, token) == 1 then
    redis.call("ZREM", line.sharing_key, token)
    redis.call("ZREM", line.alone_key, token)
  end
end
