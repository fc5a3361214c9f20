-- The words with which SET takes a deduplication id for a new job.
local function words_of(rule, replaces)
  if rule.ttl_ms == 0 then
    return {}
  end
  return replaces and not rule.extend and { "KEEPTTL" } or { "PX", rule.ttl_ms }
end
