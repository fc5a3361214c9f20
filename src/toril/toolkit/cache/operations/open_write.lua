-- Begin to change what an entry is made of: from now on nothing is there, and nothing is stored.
--
-- So neither can a reader put back what it has read before the change, nor is the old value left
-- if the writer dies. Another arrival of the same request changes nothing.
--
-- Of two changes that overlap nobody here knows which was the later one, so neither is stored and
-- the next reader loads it. Only of two with versions that is known.
--
-- keys    value_key .. lease_key   the entry
--         writers_key   hash, see living_writers
--         changed_key   when the entry was last changed
-- args    token         of this writer
--         kind          plain or versioned
--         length_ms     how long it may take, unless it asks for more
--         generations   msgpack: the keys of generations to read along, where they are at hand
--         keep_ms       how long those are kept
-- reply   {1, generations}
local value_key, marker_key, lease_key, writers_key, changed_key = unpack(KEYS)
local token, kind, length_ms, generations, keep_ms = unpack(ARGV)

-- @include now_us
-- @include whole
-- @include generations_of
-- @include keep_generations
-- @include living_writers
-- @include overtake
-- @include stay_writer
-- @include note_change

local OPENED = 1

local time_us = now_us()
local writers = living_writers(writers_key, time_us)
local generation_keys = cmsgpack.unpack(generations)
local found = generations_of(generation_keys, keep_ms, time_us)
keep_generations(generation_keys, keep_ms)

local function is_overtaken()
  for _, other in pairs(writers) do
    if kind == "plain" or other.kind == "plain" then
      return true
    end
  end
  return false
end

local writer = writers[token]
if not writer then
  writer = { kind = kind, fate = is_overtaken() and "overtaken" or "alone" }
  redis.call("DEL", value_key, marker_key, lease_key)
  note_change(changed_key, time_us)
  overtake(writers_key, writers, kind)
  redis.call("HSET", writers_key, "state", token)
end
writer.ends_us = whole(time_us + length_ms * 1000)
stay_writer(writers_key, token, writer, length_ms)
return { OPENED, found }
