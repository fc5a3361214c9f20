-- Grant what all limits allow within the caller's patience, or change nothing at all.
--
-- The slot is the first moment at which every limit allows its cost. It is taken now, for then, so
-- that whoever waits for it asks once, and those who wait go in the order in which they asked. A
-- refusal writes nothing: neither to the limits that would have allowed it, nor a receipt.
--
-- keys    receipt_key    string   the answer to this operation; gone after a minute
--         The keys of the limits are in the rows, and declared behind it.
-- args    operation_id   names this one among all of the key, so that it counts once; "" for none
--         patience_us    how long the caller would wait for a slot; below 0 only to be told
--         packed         msgpack: a row {key, kind, cost, ...} for each limit
-- reply   {1, now_us, slot_us, then slot_us, left, neutral_us of each limit}      granted
--         {0, now_us, slot_us, then the same, where a slot of -1 is never}        refused
local receipt_key = unpack(KEYS)
local operation_id, patience_us, packed = unpack(ARGV)

-- @include now_us
-- @include open_gauges
-- @include survey
-- @include ruling

local GRANTED, REFUSED = 1, 0
local RECEIPT_MS = 60000

local now = now_us()
local rows = cmsgpack.unpack(packed)

local function granted_before()
  local receipt = operation_id ~= "" and redis.call("GET", receipt_key)
  return receipt and cmsgpack.unpack(receipt)
end

local function take_all(gauges, at_us)
  for index, row in ipairs(rows) do
    if row[3] > 0 then
      gauges[index].take(row[3], at_us)
      gauges[index].store()
    end
  end
end

local before = granted_before()
if before and #before == 3 + 3 * #rows then
  return before
end

local gauges = open_gauges(rows, now)
local at_us, slots = survey(rows, gauges, now)
if before then
  -- Under other limits: what was taken cannot be given back to these, hence no moment.
  return ruling({ GRANTED, now, 0 }, gauges, slots)
elseif at_us < 0 or at_us - now > tonumber(patience_us) then
  return ruling({ REFUSED, now, at_us }, gauges, slots)
end

take_all(gauges, at_us)
local reply = ruling({ GRANTED, now, at_us }, gauges, slots)
if operation_id ~= "" then
  redis.call("SET", receipt_key, cmsgpack.pack(reply), "PX", RECEIPT_MS)
end
return reply
