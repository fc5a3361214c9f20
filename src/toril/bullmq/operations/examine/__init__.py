"""Look at every key of a queue in use, and bring into order what is not."""
