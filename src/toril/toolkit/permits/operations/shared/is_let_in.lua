-- @include is_alone
-- @include free_places
-- @include may_share
-- @include may_be_alone

-- Whether there is a place for this token, and nobody in the line comes before it.
local function is_let_in(holders_key, line, token, rules)
  local free = free_places(holders_key, token, rules.limit)
  if free < 1 then
    return false
  end
  if is_alone(token) then
    return may_be_alone(line, token, rules.order)
  end
  return may_share(line, token, rules.order, free)
end
