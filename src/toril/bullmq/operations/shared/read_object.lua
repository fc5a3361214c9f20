-- A JSON object that is stored in a field of a job; empty when there is none, or it is something else.
local function read_object(text)
  local is_json, object = pcall(cjson.decode, text or "")
  return is_json and type(object) == "table" and object or {}
end
