-- A whole number as text with all its digits, which `tostring` rounds from the 15th on.
local function whole(number)
  return string.format("%.0f", number)
end
