-- @include retain

-- Put what has ended into the sets of its kinds, and remove what their rules do not keep.
local function file_ends(queue, ended)
  if #ended.completed > 0 then
    redis.call("ZADD", queue.completed_key, unpack(ended.completed))
  end
  if #ended.failed > 0 then
    redis.call("ZADD", queue.failed_key, unpack(ended.failed))
  end
  for _, rule in pairs(ended.rules) do
    retain(queue, rule, tonumber(ended.now), ended.others)
  end
  ended.completed, ended.failed, ended.rules = {}, {}, {}
end
