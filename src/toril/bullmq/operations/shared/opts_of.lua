-- @include read_object

-- Where a stored `opts` wants a new job: delay, priority, side. What is no JSON wants nothing.
--
-- A NaN is neither more nor less than anything: 0 stays where it comes first.
local function opts_of(text)
  local opts = read_object(text)
  return {
    delay_ms = math.max(0, tonumber(opts.delay) or 0),
    priority = math.max(0, tonumber(opts.priority) or 0),
    lifo = opts.lifo == true,
  }
end
