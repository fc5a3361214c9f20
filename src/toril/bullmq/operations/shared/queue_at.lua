-- The keys of the queue whose keys start with `base`.
local function queue_at(base)
  return {
    base = base,
    wait_key = base .. "wait",
    paused_key = base .. "paused",
    active_key = base .. "active",
    prioritized_key = base .. "prioritized",
    delayed_key = base .. "delayed",
    waiting_children_key = base .. "waiting-children",
    completed_key = base .. "completed",
    failed_key = base .. "failed",
    stalled_key = base .. "stalled",
    marker_key = base .. "marker",
    events_key = base .. "events",
    meta_key = base .. "meta",
    limiter_key = base .. "limiter",
    pc_key = base .. "pc",
    id_key = base .. "id",
  }
end
