-- Up to `room` places of jobs in the order they are due to run: the list from its right end,
-- then the prioritized set.
local function ready_places(queue, meta, room)
  local places = {}
  if room <= 0 then
    return places
  end
  local waiting = redis.call("LRANGE", meta.list_key, -room, "-1")
  for index = #waiting, 1, -1 do
    places[#places + 1] = { id = waiting[index], from = meta.list_key }
  end
  if #places < room then
    local rest = room - #places
    for _, job_id in ipairs(redis.call("ZRANGE", queue.prioritized_key, "0", rest - 1)) do
      places[#places + 1] = { id = job_id, from = queue.prioritized_key }
    end
  end
  return places
end
