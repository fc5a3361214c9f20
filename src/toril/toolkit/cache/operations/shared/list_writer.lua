-- Write down what is known of a writer.
local function list_writer(writers_key, token, writer)
  local line = writer.ends_us .. " " .. writer.kind .. " " .. writer.fate
  redis.call("HSET", writers_key, token, line)
end
