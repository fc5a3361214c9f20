-- Whether any of these jobs has children that are pending or that have failed it. Only looks, once
-- for all of them: almost no job has children.
local function have_children(queue, outcomes)
  local keys = {}
  for _, outcome in ipairs(outcomes) do
    keys[#keys + 1] = queue.base .. outcome.id .. ":dependencies"
    keys[#keys + 1] = queue.base .. outcome.id .. ":unsuccessful"
  end
  return #keys > 0 and redis.call("EXISTS", unpack(keys)) > 0
end
