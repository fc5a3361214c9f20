-- What is left of a job: its hash as a table, and whether it is `whole`, a `ghost` (nothing, or what
-- scripts write to whatever id they are given), in `part`, or `foreign`.
local function what_is_left(job_key)
  local hash, present, flat = {}, 0, redis.pcall("HGETALL", job_key)
  if flat.err then
    return hash, "foreign"
  end
  for index = 1, #flat, 2 do
    hash[flat[index]] = flat[index + 1]
  end
  for _, name in ipairs({ "name", "data", "opts", "timestamp" }) do
    present = present + (hash[name] and 1 or 0)
  end
  local amounts = { [0] = "ghost", [4] = "whole" }
  return hash, amounts[present] or "part"
end
