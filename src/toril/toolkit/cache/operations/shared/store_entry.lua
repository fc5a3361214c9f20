-- Store a value in its envelope, fresh for `ttl_us` and there for `life_ms`.
--
-- The form is that of `Envelope` in wire.py.
local function store_entry(value_key, stamp, what, time_us)
  local VERSION = 1
  local head = struct.pack(
    "<BBI8I8I8BHI4",
    VERSION,
    what.codec,
    time_us + what.ttl_us,
    what.compute_us,
    time_us,
    #stamp,
    #what.generations,
    #what.tags
  )
  local raw = head .. stamp .. what.generations .. what.tags .. what.payload
  redis.call("SET", value_key, raw, "PX", what.life_ms)
end
