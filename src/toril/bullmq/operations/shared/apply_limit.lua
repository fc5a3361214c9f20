local USED_UP = 9007199254740991

-- Have the rate limit hold for a claim that is the queue's, or the worker's own: the queue says first
-- how many jobs, and the worker in how long. A limit that lacks one of them is none.
--
-- A worker that `heeds_limit` without one keeps to a limit by hand, which is a counter used up.
local function apply_limit(meta, claim)
  meta.rate_max = meta.rate_max or claim.rate_max
  meta.rate_duration_ms = claim.rate_duration_ms or meta.rate_duration_ms
  if not (meta.rate_max and meta.rate_duration_ms) then
    meta.rate_max, meta.rate_duration_ms = claim.heeds_limit and USED_UP or nil, nil
  end
end
