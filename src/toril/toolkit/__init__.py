"""Patterns that every team with a Redis needs: rate limits, locks, caches."""
