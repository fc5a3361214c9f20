"""Locks: one holder at a time, by a lease, with a number that only grows."""
