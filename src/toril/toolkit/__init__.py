"""Patterns that every team with a Redis needs: rate limits, locks, caches."""

from toril.toolkit.errors import LimitExceededError
from toril.toolkit.limits import (
    AsyncRateLimiter,
    Decision,
    Limit,
    LimiterOptions,
    LimiterStats,
    RateLimiter,
    Standing,
)

__all__ = [
    "AsyncRateLimiter",
    "Decision",
    "Limit",
    "LimitExceededError",
    "LimiterOptions",
    "LimiterStats",
    "RateLimiter",
    "Standing",
]
