-- Say which server has this key, since when it runs and what it is; changes nothing.
--
-- reply   {run_id, uptime_s, role, cluster_enabled}  as INFO has them, "" for what it does not have

local info = redis.call("INFO", "server")
  .. redis.call("INFO", "replication")
  .. redis.call("INFO", "cluster")

local function value(name)
  return string.match(info, name .. ":(%w+)") or ""
end

return { value("run_id"), value("uptime_in_seconds"), value("role"), value("cluster_enabled") }
