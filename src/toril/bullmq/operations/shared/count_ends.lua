-- @include count_minute

-- Count the jobs that ended, completed and failed ones apart, where the sender keeps metrics.
--
-- No end depends on it: where the keys hold something else, nothing is counted.
local function count_ends(queue, outcomes, results, claim)
  local counts = {}
  for index, outcome in ipairs(outcomes) do
    if results[index] == 1 and claim.metrics_size then
      counts[outcome.kind] = (counts[outcome.kind] or 0) + 1
    end
  end
  for kind, count in pairs(counts) do
    pcall(count_minute, queue.base .. "metrics:" .. kind, count, claim)
  end
end
