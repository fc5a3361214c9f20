-- @include ring_for_ready

-- The end of a rate limit rings for nobody: who looks and wants nothing wakes those who do.
local function ring_after_limit(queue, meta)
  if meta.rate_max then
    ring_for_ready(queue, meta)
  end
end
