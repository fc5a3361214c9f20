-- @include leave_line

-- Drop the holders whose lease is over, and waiters that give no sign of life, a hundred at a time.
local function drop_ended(holders_key, line, now)
  -- Looked at for their types: nothing may raise after the first write.
  redis.call("ZCARD", line.sharing_key)
  redis.call("ZCARD", line.alone_key)
  local gone = redis.call("ZRANGEBYSCORE", line.alive_key, "-inf", now, "LIMIT", 0, 100)
  redis.call("ZREMRANGEBYSCORE", holders_key, "-inf", now)
  for _, token in ipairs(gone) do
    leave_line(line, token)
  end
end
