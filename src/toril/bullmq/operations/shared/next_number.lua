-- The next number of a job of this queue, as text, and whether it is known to be no job's id yet.
local function next_number(queue)
  local numbers = queue.numbers or { drawn = 0 }
  numbers.drawn = numbers.drawn + 1
  local number = numbers[numbers.drawn]
  if number then
    return number, numbers.are_free
  end
  return string.format("%.0f", redis.call("INCR", queue.id_key)), false
end
