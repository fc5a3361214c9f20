"""What caches report: names of caches and numbers, never keys or values."""

from toril.telemetry.events import Event


class CacheEvent(Event, frozen=True, kw_only=True, gc=False):
    """Something that happened in a cache."""

    cache: str


class CacheHit(CacheEvent, frozen=True, kw_only=True, gc=False):
    """A fresh value was there; `is_local` when in the memory of this process."""

    is_local: bool


class CacheMissed(CacheEvent, frozen=True, kw_only=True, gc=False):
    """There was nothing to use: the caller loads, or waits for somebody who does."""


class CacheServedStale(CacheEvent, frozen=True, kw_only=True, gc=False):
    """A value beyond its time was used, because a new one is being loaded or loading failed."""


class CacheFilled(CacheEvent, frozen=True, kw_only=True, gc=False):
    """A value was loaded and stored."""

    took_ms: float


class CacheFillRejected(CacheEvent, frozen=True, kw_only=True, gc=False):
    """A value was loaded and not stored: the entry was changed meanwhile, or it may not be."""

    reason: str


class CacheLoadFailed(CacheEvent, frozen=True, kw_only=True, gc=False):
    """A loader raised."""

    problem: str


class CacheUndecodable(CacheEvent, frozen=True, kw_only=True, gc=False):
    """What was stored could not be read; it is taken for nothing."""

    problem: str


class CacheWrote(CacheEvent, frozen=True, kw_only=True, gc=False):
    """A change ended; `end` says what the cache holds after it: `stored`, `empty`, `outdone`."""

    end: str


class CacheDegraded(CacheEvent, frozen=True, kw_only=True, gc=False):
    """The server could not be asked; the caller goes on without it."""

    problem: str


class CachePaused(CacheEvent, frozen=True, kw_only=True, gc=False):
    """The server failed again and again, so it is not asked until it answers a probe."""


class CacheResumed(CacheEvent, frozen=True, kw_only=True, gc=False):
    """The server answers, and is asked again."""


class CacheMemoryOpened(CacheEvent, frozen=True, kw_only=True, gc=False):
    """The server tells of every change from now on, so what is read is kept in memory."""


class CacheMemoryLost(CacheEvent, frozen=True, kw_only=True, gc=False):
    """All that was kept in memory was forgotten: a change may have gone unheard."""

    reason: str
