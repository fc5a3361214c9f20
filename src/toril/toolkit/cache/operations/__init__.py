"""One operation on a cache is one `.py` beside one `.lua`."""
