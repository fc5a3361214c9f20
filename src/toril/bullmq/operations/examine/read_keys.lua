-- Read keys of a queue, as many as fit into a reply: the first one always does.
--
-- keys    meta_key   settings of the queue; then those that are read
-- args    base       what the keys of the queue start with
--         names      netstrings: what to read of a key (`all`, `names` or `type`), the rest of the
--                    key, and so on
--         max_bytes  of the reply, about
-- reply   {1, now_ms, {{type, ttl_ms, {content, ...}}, ...}}   for the first keys
local meta_key = unpack(KEYS)
local base, names, max_bytes = unpack(ARGV)

-- @include key_row
-- @include names_in
-- @include now_ms

local READ = 1

local function size_of(row)
  local bytes = 0
  for _, text in ipairs(row[3]) do
    bytes = bytes + #text
  end
  return bytes
end

redis.call("EXISTS", meta_key)
local rows, bytes, wanted = {}, 0, names_in(names)
for index = 1, #wanted, 2 do
  if bytes > tonumber(max_bytes) then
    break
  end
  local row = key_row(base .. wanted[index + 1], wanted[index])
  rows[#rows + 1] = row
  bytes = bytes + size_of(row)
end
return { READ, tonumber(now_ms(0)), rows }
