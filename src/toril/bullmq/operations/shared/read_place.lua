-- @include whole

-- Read the job at a place: its hash and how often it was started go into `place`. Only looks.
--
-- Returns the bytes of the hash, or nil where no job is: the hash is missing or foreign, or the id
-- is a marker left by BullMQ before 5.
local function read_place(queue, place)
  local hash = redis.pcall("HGETALL", queue.base .. place.id)
  if hash.err or #hash == 0 or string.sub(place.id, 1, 2) == "0:" then
    return nil
  end
  local fields, bytes = {}, 0
  for index = 1, #hash, 2 do
    fields[hash[index]] = hash[index + 1]
    bytes = bytes + #hash[index] + #hash[index + 1]
  end
  if not (fields.name or fields.timestamp) then
    return nil
  end
  place.hash, place.starts = hash, whole(fields.ats) or 0
  return bytes
end
