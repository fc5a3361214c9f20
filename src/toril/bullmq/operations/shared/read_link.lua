-- What the field `parent` of a job says: an object, empty when there is none or it is no JSON.
local function read_link(text)
  local is_json, link = pcall(cjson.decode, text or "")
  return is_json and type(link) == "table" and link or {}
end
