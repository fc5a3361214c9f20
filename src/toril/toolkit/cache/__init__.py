"""A cache that is filled once when many want the same, and never with what has been changed."""
