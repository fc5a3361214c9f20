-- @include retain

-- Put what has ended into the sets of its kinds, and remove what their rules do not keep.
local function file_ends(queue, ended)
  for _, kind in ipairs({ "completed", "failed" }) do
    if #ended[kind] > 0 then
      redis.call("ZADD", queue[kind .. "_key"], unpack(ended[kind]))
    end
  end
  for _, rule in pairs(ended.rules) do
    retain(queue, rule, tonumber(ended.now), ended.others)
  end
  ended.completed, ended.failed, ended.rules = {}, {}, {}
end
