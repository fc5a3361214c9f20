-- @include can_remove
-- @include queue_at

-- The child of a job that has this key; `is_there` unless it is gone, or cannot be looked at. nil when
-- no job can have such a key. Only looks.
local function child_at(key, parent)
  local base, id = string.match(key, "^(.*:)([^:]+)$")
  if not base then
    return nil
  end
  local child = { id = id, key = key, queue = queue_at(base), children = {}, parent = parent }
  child.is_there = can_remove(child)
  return child
end
