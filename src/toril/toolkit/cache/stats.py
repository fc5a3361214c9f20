"""What a cache has done in this process."""

from collections import Counter
from dataclasses import dataclass
from typing import Final

from toril.telemetry.events import Event
from toril.telemetry.toolkit_cache import (
    CacheDegraded,
    CacheFilled,
    CacheFillRejected,
    CacheHit,
    CacheLoadFailed,
    CacheMissed,
    CacheServedStale,
    CacheUndecodable,
)
from toril.toolkit.fork_lock import ForkLock


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheStats:
    """Counts since the cache was made; each is that of an event."""

    hits: int
    local_hits: int
    """Of the hits, how many out of the memory of this process."""
    misses: int
    """How often a caller had to load, or to wait for somebody who did."""
    served_stale: int
    filled: int
    """Values that were loaded and stored."""
    rejected: int
    """Values that were not stored."""
    load_failed: int
    undecodable: int
    degraded: int
    """How often the server could not be asked."""


class Tally:
    """The counts, which threads share."""

    def __init__(self) -> None:
        self._lock: Final = ForkLock()
        self._counts: Final[Counter[type[Event]]] = Counter()
        self._local_hits = 0

    def count(self, event: Event) -> None:
        """One more."""
        with self._lock:
            self._counts[type(event)] += 1
            self._local_hits += isinstance(event, CacheHit) and event.is_local

    @property
    def stats(self) -> CacheStats:
        """The counts now."""
        with self._lock:
            return CacheStats(
                hits=self._counts[CacheHit],
                local_hits=self._local_hits,
                misses=self._counts[CacheMissed],
                served_stale=self._counts[CacheServedStale],
                filled=self._counts[CacheFilled],
                rejected=self._counts[CacheFillRejected],
                load_failed=self._counts[CacheLoadFailed],
                undecodable=self._counts[CacheUndecodable],
                degraded=self._counts[CacheDegraded],
            )
