-- How often a list, a set or a sorted set holds an id, and its score. Foreign types hold nothing.
local function held_times(key, job_id)
  local kind = redis.call("TYPE", key).ok
  if kind == "list" then
    return #redis.call("LPOS", key, job_id, "COUNT", "0"), ""
  elseif kind == "zset" then
    local score = redis.call("ZSCORE", key, job_id)
    return score and 1 or 0, score or ""
  elseif kind == "set" then
    return redis.call("SISMEMBER", key, job_id), ""
  end
  return 0, ""
end
