-- The keys of the queue whose keys start with `base`, each as `<part>_key`.
local function queue_at(base)
  local parts = "wait paused prioritized delayed active completed failed "
    .. "stalled marker events meta limiter pc"
  local queue = { base = base }
  for part in string.gmatch(parts, "%a+") do
    queue[part .. "_key"] = base .. part
  end
  return queue
end
