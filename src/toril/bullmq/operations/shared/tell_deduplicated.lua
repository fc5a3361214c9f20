-- @include tell

-- Add the two events (the older clients', the newer clients') of a job that stays for another with
-- the same deduplication id, which goes.
local function tell_deduplicated(queue, meta, deduplication_id, stays, goes)
  tell(queue, meta, "debounced", stays, "debounceId", deduplication_id)
  local fields = { "deduplicationId", deduplication_id, "deduplicatedJobId", goes }
  tell(queue, meta, "deduplicated", stays, unpack(fields))
end
