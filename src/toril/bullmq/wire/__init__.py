"""What is stored in Redis: keys, fields, option codes, events. Wire spellings live here alone."""
