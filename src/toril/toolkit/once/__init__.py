"""Run something once for a key, and give everybody the result."""
