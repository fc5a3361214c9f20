-- What an envelope says about its value; nil when there is none, or one of another form.
--
-- The form is that of `Envelope` in wire.py.
local function read_entry(raw)
  local VERSION, STAMP_AT = 1, 34
  if not raw or string.byte(raw) ~= VERSION then
    return nil
  end
  local is_read, _, _, soft_us, compute_us, _, size, generations, tags =
    pcall(struct.unpack, "<BBI8I8I8BHI4", raw)
  if not is_read or #raw + 1 < STAMP_AT + size + generations + tags then
    return nil
  end
  return {
    soft_us = soft_us,
    compute_us = compute_us,
    stamp = string.sub(raw, STAMP_AT, STAMP_AT + size - 1),
  }
end
