-- Draw the numbers of so many new jobs at once, and see whether they are free.
local function reserve_numbers(queue, count)
  local last = redis.call("INCRBY", queue.id_key, count)
  local numbers, keys = { drawn = 0 }, {}
  for place = 1, count do
    numbers[place] = string.format("%.0f", last - count + place)
    keys[place] = queue.base .. numbers[place]
  end
  numbers.are_free = redis.call("EXISTS", unpack(keys)) == 0
  queue.numbers = numbers
end
