-- @include list_writer

-- Note that an entry was changed by somebody else while these writers were at it.
--
-- What they return may be older than that change, so it is not stored; unless versions tell.
local function overtake(writers_key, writers, kind)
  for token, writer in pairs(writers) do
    if kind == "plain" or writer.kind == "plain" then
      writer.fate = "overtaken"
      list_writer(writers_key, token, writer)
    end
  end
end
