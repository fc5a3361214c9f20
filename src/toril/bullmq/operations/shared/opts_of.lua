-- Where a stored `opts` wants a new job: delay, priority, side. What is no JSON wants nothing.
local function opts_of(text)
  local is_json, opts = pcall(cjson.decode, text)
  if not is_json or type(opts) ~= "table" then
    opts = {}
  end
  return {
    delay_ms = math.max(tonumber(opts.delay) or 0, 0),
    priority = math.max(tonumber(opts.priority) or 0, 0),
    lifo = opts.lifo == true,
  }
end
