-- Why an outcome may not be stored: 2 no such job, 3 the lock is gone or another's, or what `why_not`
-- has to say of it; nil, and it may. Only looks.
local function refusal_of(outcome, fields, owner, why_not)
  if not fields then
    return 2
  elseif owner ~= outcome.token then
    return 3
  end
  return why_not and why_not(outcome, fields[4]) or nil
end
