-- Ids and hashes of jobs in one flat list, for the reply.
local function hashes_of(jobs)
  local flat = {}
  for _, job in ipairs(jobs) do
    flat[#flat + 1] = job.id
    flat[#flat + 1] = job.hash
  end
  return flat
end
