-- Read the jobs in some places of the queue, one place after the other, from one number on.
--
-- An id without a job is counted and left out: what it stands for is gone.
--
-- keys    wait_key   then the others that hold the ids of jobs
-- args    base       what the keys of the queue start with
--         packed     msgpack: a map with places (list of {name, turned}: the last part of a key, and
--                    whether to begin at its other end), start (how many ids to pass over), limit
--                    (how many to look at), max_bytes (of job hashes; the first job always fits)
-- reply   {1, next, {id, hash, id, hash, ...}}
--         `next` is the number to go on with, or -1 when there is nothing behind
local wait_key = unpack(KEYS)
local base, packed = unpack(ARGV)

-- @include hashes_of
-- @include ids_at
-- @include queue_at
-- @include read_place

local READ, NOTHING = 1, -1

redis.call("LLEN", wait_key)
local queue, query = queue_at(base), cmsgpack.unpack(packed)
local jobs, bytes = {}, 0

-- Returns how many of the ids it has read: all of them, unless the next job is one too many.
local function read(ids)
  for number, id in ipairs(ids) do
    local job = { id = id }
    local size = read_place(queue, job)
    bytes = bytes + (size or 0)
    if #jobs > 0 and bytes > query.max_bytes then
      return number - 1
    end
    jobs[#jobs + 1] = size and job
  end
  return #ids
end

local passed, left = 0, query.limit
for _, place in ipairs(query.places) do
  local name, turned = unpack(place)
  local first = math.max(query.start - passed, 0)
  local ids, length = ids_at(base .. name, first, left, turned)
  local taken = read(ids)
  if taken < #ids then
    return { READ, passed + first + taken, hashes_of(jobs) }
  end
  left = left - taken
  passed = passed + length
end
return { READ, left > 0 and NOTHING or query.start + query.limit, hashes_of(jobs) }
