-- @include read_entry

-- Whether the value there now was stored with this token: by an earlier arrival of this request.
local function is_stored(value_key, token)
  local entry = read_entry(redis.call("GET", value_key))
  return entry ~= nil and entry.stamp == token
end
