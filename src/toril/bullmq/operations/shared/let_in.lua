-- @include ring

-- Put those that lined up into the list, ring for them, and keep the stream at about its length.
local function let_in(queue, meta)
  for side, ids in pairs(queue.line or {}) do
    if #ids > 0 then
      redis.call(side, meta.list_key, unpack(ids))
      ring(queue, meta)
    end
  end
  redis.call("XTRIM", queue.events_key, "MAXLEN", "~", meta.max_events)
end
