-- @include read_buckets

-- Counts of short buckets; those of a whole period and one bucket more never exceed the limit.
--
-- The one more makes it strict: a window that begins in the middle of a bucket has less than all
-- of that. What is granted goes into the newest bucket or a later one, so order of arrival holds.
local function sliding_counter(row, now_us)
  local width_us, limit, buckets = row[4], row[5], row[6]
  local here = math.floor(now_us / width_us)
  local counts, newest = read_buckets(row[1], here)
  local gauge = {}

  local function used()
    local sum, last = 0, nil
    for bucket = newest - buckets, newest do
      if (counts[bucket] or 0) > 0 then
        sum, last = sum + counts[bucket], bucket
      end
    end
    return sum, last
  end

  function gauge.slot(cost)
    local bucket, sum = newest, (used())
    while sum + cost > limit do
      sum = sum - (counts[bucket - buckets] or 0)
      bucket = bucket + 1
    end
    return math.max(now_us, bucket * width_us)
  end

  function gauge.take(cost, at_us)
    newest = math.max(newest, math.floor(at_us / width_us))
    counts[newest] = (counts[newest] or 0) + cost
  end

  function gauge.give(cost, at_us)
    local bucket = math.floor(at_us / width_us)
    counts[bucket] = counts[bucket] and math.max(0, counts[bucket] - cost)
  end

  function gauge.left()
    return newest > here and 0 or limit - used()
  end

  function gauge.neutral()
    local _, last = used()
    return math.max(now_us, (last and last + buckets + 1 or newest) * width_us)
  end

  function gauge.text()
    local texts = {}
    for bucket = newest - buckets, newest do
      texts[#texts + 1] = counts[bucket] and string.format("%.0f:%.0f", bucket, counts[bucket])
    end
    return table.concat(texts, " ")
  end

  return gauge
end
