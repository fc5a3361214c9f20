"""The level in front of Redis: what the memory of this process knows of a cache."""
