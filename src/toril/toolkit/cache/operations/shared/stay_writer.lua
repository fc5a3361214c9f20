-- @include list_writer

-- List a writer until then, and keep the list at least for `length_ms` from now.
local function stay_writer(writers_key, token, writer, length_ms)
  list_writer(writers_key, token, writer)
  if redis.call("PTTL", writers_key) < tonumber(length_ms) then
    redis.call("PEXPIRE", writers_key, length_ms)
  end
end
