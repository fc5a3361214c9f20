"""What rate limits ask of the server: one operation is a `.py` beside a `.lua`."""
