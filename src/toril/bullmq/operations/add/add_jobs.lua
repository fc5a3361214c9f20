-- Add jobs to the queue, each where it belongs, and answer a repeated request as the first time.
--
-- A producer has one request in flight and counts them. The receipt keeps the answer to the last
-- one: when its reply was lost the producer sends the same request again and gets that answer, and
-- a copy of an older request that arrives late is refused. A job may have an idempotency key, which
-- does the same for one job and among all producers: the first makes it, the others are told its
-- id. Looks at everything first, then writes.
--
-- keys    receipt_key     the last request of this producer and its answer; then those of the
--                         queue, and those of idempotency keys and deduplication ids
-- args    base            what the keys of the queue start with
--         own_base        what toril's own keys beside it start with
--         sequence        of this request, growing with each request of one producer
--         receipt_ttl_ms  how long the receipt is kept
--         packed          msgpack: a list of jobs, each a map with id ("" for the next number),
--                         name, data, opts (JSON), and what is not as usual: delay_ms, priority,
--                         lifo, timestamp; once, for an idempotency key: a map with key, ttl_ms;
--                         deduplication: a map with id, ttl_ms (0 for none), extend, replace,
--                         keep_last
--         clock_ms        a frozen clock, or 0 for the server's
-- reply   {1, {now_ms, {id, ...}, {place, ...}}}
--                              an id for each job, and the places (from 1) of the jobs that were not
--                              added, as the one with this id stands for them
--         {0}                  a later request of this producer was seen before
local receipt_key = unpack(KEYS)
local base, own_base, sequence, receipt_ttl_ms, packed, clock_ms = unpack(ARGV)

-- @include add_job
-- @include check_new_jobs
-- @include let_in
-- @include now_ms
-- @include queue_at
-- @include read_meta
-- @include reserve_numbers

local LATE, ANSWERED = 0, 1

local queue = queue_at(base)

local function known_id(once)
  return redis.call("GET", own_base .. "once:" .. once.key)
end

-- Under an idempotency key the id is remembered whether the job was added or another stands for
-- it: whoever asks again gets the same answer.
local function add(meta, job)
  if not job.once then
    return add_job(queue, meta, job)
  end
  local earlier_id = known_id(job.once)
  if earlier_id then
    job.id = earlier_id
    return false
  end
  local is_added = add_job(queue, meta, job)
  redis.call("SET", own_base .. "once:" .. job.once.key, job.id, "PX", job.once.ttl_ms)
  return is_added
end

local function earlier_answer()
  local receipt = redis.call("GET", receipt_key)
  local last, answer = cmsgpack.unpack(receipt or cmsgpack.pack(-1))
  if last == tonumber(sequence) then
    return { ANSWERED, answer }
  end
  return last > tonumber(sequence) and { LATE } or nil
end

-- Whether each of them is a job of its own: an add that was made before draws no number.
local function check(jobs)
  check_new_jobs(queue)
  local are_new = true
  for _, job in ipairs(jobs) do
    if job.once then
      known_id(job.once)
      are_new = false
    end
    if job.deduplication then
      redis.call("GET", base .. "de:" .. job.deduplication.id)
      redis.call("LLEN", queue.active_key)
    end
  end
  return are_new
end

local answered = earlier_answer()
if answered then
  return answered
end
local jobs = cmsgpack.unpack(packed)
local are_new = check(jobs)
local now = now_ms(clock_ms)
local meta = read_meta(queue)
if are_new then
  reserve_numbers(queue, #jobs)
end
local ids, stood_for = {}, {}
for place, job in ipairs(jobs) do
  job.timestamp = job.timestamp or now
  if not add(meta, job) then
    stood_for[#stood_for + 1] = place
  end
  ids[place] = job.id
end
let_in(queue, meta)
local answer = { tonumber(now), ids, stood_for }
redis.call("SET", receipt_key, cmsgpack.pack(tonumber(sequence), answer), "PX", receipt_ttl_ms)
return { ANSWERED, answer }
