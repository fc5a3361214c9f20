"""A lock on a majority of several servers that know nothing of each other."""
