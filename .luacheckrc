std = "min"
read_globals = {
  "KEYS", "ARGV", "unpack", "cjson", "cmsgpack", "bit", "struct",
  redis = { fields = { "call", "pcall", "error_reply", "status_reply", "sha1hex", "log", "setresp" } },
}
max_line_length = 100
max_cyclomatic_complexity = 8
ignore = {
  "431", -- a helper may give its parameter the name that the command's signature gives it
}
