-- Whether who has this token shares with nobody.
local function is_alone(token)
  return string.sub(token, 1, 1) == "w"
end
