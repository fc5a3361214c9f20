"""What must be true of a queue in Redis, and what can be done where it is not.

The laws look at a `Layout`, which is keys that somebody has read: the doctor of a live queue,
key by key, or a test, all in one instant.
"""
