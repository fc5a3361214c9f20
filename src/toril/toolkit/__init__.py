"""Patterns that every team with a Redis needs: rate limits, locks, caches."""

from toril.toolkit.cache._async.cache import AsyncCache
from toril.toolkit.cache._sync.cache import Cache
from toril.toolkit.cache.codec import Codec, JsonCodec
from toril.toolkit.cache.level import LocalLevel
from toril.toolkit.cache.load import Load
from toril.toolkit.cache.stats import CacheStats
from toril.toolkit.cache.view import MISSING, Entry
from toril.toolkit.errors import (
    InProgressError,
    LeaseLostError,
    LimitExceededError,
    LoaderFailedError,
    LoaderTimeoutError,
    LockTimeoutError,
    QuorumImpossibleError,
    RecursiveRunError,
    RunFailedError,
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
from toril.toolkit.locks._async.fence import AsyncFence
from toril.toolkit.locks._async.lock import AsyncLock
from toril.toolkit.locks._async.multi_lock import AsyncMultiLock
from toril.toolkit.locks._sync.fence import Fence
from toril.toolkit.locks._sync.lock import Lock
from toril.toolkit.locks._sync.multi_lock import MultiLock
from toril.toolkit.locks.locked import locked
from toril.toolkit.locks.operations.look import LockInfo
from toril.toolkit.once._async.once import AsyncOnce
from toril.toolkit.once._sync.once import Once
from toril.toolkit.permits._async.rwlock import AsyncRWLock
from toril.toolkit.permits._async.semaphore import AsyncSemaphore
from toril.toolkit.permits._sync.rwlock import RWLock
from toril.toolkit.permits._sync.semaphore import Semaphore
from toril.toolkit.permits.operations.look import Occupancy
from toril.toolkit.redlock._async.redlock import AsyncRedlock
from toril.toolkit.redlock._sync.redlock import Redlock

__all__ = [
    "MISSING",
    "AsyncCache",
    "AsyncFence",
    "AsyncLease",
    "AsyncLock",
    "AsyncMultiLock",
    "AsyncOnce",
    "AsyncRWLock",
    "AsyncRateLimiter",
    "AsyncRedlock",
    "AsyncSemaphore",
    "Cache",
    "CacheStats",
    "Codec",
    "Decision",
    "Entry",
    "Fence",
    "InProgressError",
    "JsonCodec",
    "Lease",
    "LeaseLostError",
    "Limit",
    "LimitExceededError",
    "LimiterOptions",
    "LimiterStats",
    "Load",
    "LoaderFailedError",
    "LoaderTimeoutError",
    "LocalLevel",
    "Lock",
    "LockInfo",
    "LockTimeoutError",
    "MultiLock",
    "Occupancy",
    "Once",
    "QuorumImpossibleError",
    "RWLock",
    "RateLimiter",
    "RecursiveRunError",
    "Redlock",
    "RunFailedError",
    "Semaphore",
    "StaleFenceError",
    "Standing",
    "locked",
]
