-- Add jobs to the queue, each where it belongs, and answer a repeated request as the first time.
--
-- A producer has one request in flight and counts them. The receipt keeps the answer to the last
-- one: when its reply was lost the producer sends the same request again and gets that answer, and
-- a copy of an older request that arrives late is refused. Looks at everything first, then writes.
--
-- keys    id_key          counts the jobs
--         receipt_key     the last request of this producer and its answer; then those of the queue
-- args    base            what the keys of the queue start with
--         sequence        of this request, growing with each request of one producer
--         receipt_ttl_ms  how long the receipt is kept
--         packed          msgpack: a list of jobs, each a map with id ("" for the next number),
--                         name, data, opts (JSON), delay_ms, priority, lifo, timestamp (0 for now)
--         clock_ms        a frozen clock, or 0 for the server's
-- reply   {1, {result, id, timestamp, result, id, timestamp, ...}}
--                              result 1 added, 2 there was a job with this id already
--         {0}                  a later request of this producer was seen before
local id_key, receipt_key = unpack(KEYS)
local base, sequence, receipt_ttl_ms, packed, clock_ms = unpack(ARGV)

-- @include announce
-- @include check_types
-- @include make_ready
-- @include now_ms
-- @include put_off
-- @include queue_at
-- @include read_meta
-- @include tell

local LATE, ANSWERED = 0, 1
local ADDED, DUPLICATE = 1, 2

local queue = queue_at(base)

local function enqueue(meta, job)
  if job.delay_ms > 0 then
    put_off(queue, meta, job.id, job.timestamp + job.delay_ms)
  else
    make_ready(queue, meta, job, job.lifo and "RPUSH" or "LPUSH")
    tell(queue, meta, "waiting", job.id)
  end
end

-- The number goes up for every job, whether it becomes the id or not. One that is taken already
-- (the counter was lost once) is passed over: a new job never overwrites another.
local function give_id(job)
  local number = redis.call("INCR", id_key)
  if job.id ~= "" then
    return redis.call("EXISTS", base .. job.id) == 0
  end
  while redis.call("EXISTS", base .. string.format("%.0f", number)) == 1 do
    number = redis.call("INCR", id_key)
  end
  job.id = string.format("%.0f", number)
  return true
end

local function add(meta, job)
  if not give_id(job) then
    tell(queue, meta, "duplicated", job.id)
    return DUPLICATE
  end
  redis.call(
    "HSET",
    base .. job.id,
    "name",
    job.name,
    "data",
    job.data,
    "opts",
    job.opts,
    "timestamp",
    job.timestamp,
    "delay",
    job.delay_ms,
    "priority",
    job.priority
  )
  announce(queue, "added", job.id, "name", job.name)
  enqueue(meta, job)
  return ADDED
end

local function earlier_answer()
  local receipt = redis.call("GET", receipt_key)
  local last, answer = cmsgpack.unpack(receipt or cmsgpack.pack(-1))
  if last == tonumber(sequence) then
    return { ANSWERED, answer }
  end
  return last > tonumber(sequence) and { LATE } or nil
end

local function check_counter()
  if not tonumber(redis.call("GET", id_key) or 0) then
    error("the id counter is not a number")
  end
end

local answered = earlier_answer()
if answered then
  return answered
end
check_types(queue)
check_counter()
local now = tonumber(now_ms(clock_ms))
local meta = read_meta(queue)
local answer = {}
for _, job in ipairs(cmsgpack.unpack(packed)) do
  job.timestamp = job.timestamp > 0 and job.timestamp or now
  answer[#answer + 1] = add(meta, job)
  answer[#answer + 1] = job.id
  answer[#answer + 1] = job.timestamp
end
redis.call("SET", receipt_key, cmsgpack.pack(tonumber(sequence), answer), "PX", receipt_ttl_ms)
return { ANSWERED, answer }
