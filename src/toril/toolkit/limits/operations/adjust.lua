-- Correct what was granted: give back what was not needed, or charge what was needed beyond it.
--
-- A charge asks nobody. What it takes beyond the limits is debt, and nothing is granted until that
-- is made up for. What was granted before a reset counts no more, and is not given back.
--
-- keys    receipt_key   string   says that this was done; gone after a minute
--         answer_key    string   the answer to the operation that was granted: asked again, it is
--                                to count again
--         The keys of the limits are in the rows, and declared behind it.
-- args    granted_us    the moment at which it was granted
--         slot_us       the moment for which it was granted
--         actual        the cost that it should have had
--         packed        msgpack: a row {key, kind, cost, ...} for each limit, as when it was granted
--         packed_marks  msgpack: for each of them the key that says when it was reset
-- reply   {1, now_us}   done
--         {0, now_us}   it was done before
local receipt_key, answer_key = unpack(KEYS)
local granted_us, slot_us, actual, packed, packed_marks = unpack(ARGV)

-- @include now_us
-- @include open_gauges
-- @include still_counts

local DONE, DONE_BEFORE = 1, 0
local RECEIPT_MS = 60000

local now = now_us()
local rows = cmsgpack.unpack(packed)
local gauges = open_gauges(rows, now)
local counts = still_counts(cmsgpack.unpack(packed_marks), tonumber(granted_us))
if not redis.call("SET", receipt_key, actual, "NX", "PX", RECEIPT_MS) then
  return { DONE_BEFORE, now }
end
redis.call("DEL", answer_key)
for index, row in ipairs(rows) do
  local more = actual - row[3]
  if more > 0 then
    gauges[index].take(more, now)
  elseif more < 0 and counts[index] then
    gauges[index].give(-more, tonumber(slot_us), row[3])
  end
  gauges[index].store()
end
return { DONE, now }
