-- The job that owns a deduplication id, or nil. Only looks.
--
-- A key that never expires and points to no job is left over from one that was lost.
local function owner_of(queue, deduplication_id)
  local key = queue.base .. "de:" .. deduplication_id
  local owner = redis.call("GET", key)
  if not owner then
    return nil
  end
  local is_left_over = redis.call("PTTL", key) < 0
    and redis.call("EXISTS", queue.base .. owner) == 0
  return not is_left_over and owner or nil
end
