"""Patterns that every team with a Redis needs: rate limits, locks, caches."""

from toril.toolkit.errors import (
    LeaseLostError,
    LimitExceededError,
    LockTimeoutError,
    StaleFenceError,
)
from toril.toolkit.leases._async.lease import AsyncLease
from toril.toolkit.leases._sync.lease import Lease
from toril.toolkit.limits import (
    AsyncRateLimiter,
    Decision,
    Limit,
    LimiterOptions,
    LimiterStats,
    RateLimiter,
    Standing,
)
from toril.toolkit.locks._async.lock import AsyncLock
from toril.toolkit.locks._sync.lock import Lock
from toril.toolkit.locks.operations.look import LockInfo

__all__ = [
    "AsyncLease",
    "AsyncLock",
    "AsyncRateLimiter",
    "Decision",
    "Lease",
    "LeaseLostError",
    "Limit",
    "LimitExceededError",
    "LimiterOptions",
    "LimiterStats",
    "Lock",
    "LockInfo",
    "LockTimeoutError",
    "RateLimiter",
    "StaleFenceError",
    "Standing",
]
