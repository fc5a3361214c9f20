"""Permits to use something together with others, for a while: semaphores and read-write locks."""
