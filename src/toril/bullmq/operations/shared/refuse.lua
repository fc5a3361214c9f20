-- @include place_of

-- The reply to a request that a job which is not there, or not where it should be, cannot be moved.
local function refuse(queue, job_id, is_there)
  if not is_there then
    return { 0 }
  end
  return { 2, place_of(queue, job_id) or "" }
end
