"""The level of one cache object: what it has read, for as long as the server stays in touch."""

import threading
from collections.abc import Callable, Sequence
from time import monotonic
from typing import Final

from toril.connection import Target
from toril.core.durations import to_ms
from toril.telemetry.emitter import Emitter
from toril.telemetry.toolkit_cache import CacheMemoryLost, CacheMemoryOpened
from toril.toolkit.cache.level import NEVER, LocalLevel, Told
from toril.toolkit.cache.local.store import Store, StoreCounts
from toril.toolkit.cache.local.tracker import Tracker, track, untrack
from toril.toolkit.cache.wire import CacheKeys


class TrackedLevel:
    """Knows what the server has said, and believes it while the server tells of changes.

    It begins to listen when the first question is about to be asked. Until it hears of changes,
    and whenever it may have missed one, it knows nothing and keeps nothing.
    """

    def __init__(
        self, limits: LocalLevel, target: Target, keys: CacheKeys, emitter: Emitter
    ) -> None:
        self.emitter: Final = emitter
        self._limits: Final = limits
        self._target: Final = target
        self._cache: Final = keys.name
        self._prefixes: Final = keys.tracked
        self._tracker: Tracker | None = None
        self._is_closed = False
        self._begin_anew()

    @property
    def counts(self) -> StoreCounts:
        """What has happened so far."""
        return self._store.counts

    def get(self, key: str) -> object:
        """What was kept under this key, as far as is known without asking."""
        return self._store.get(key) if self._is_in_touch() else None

    def begin(self) -> int:
        """Called before the server is asked: from here on a change is noticed."""
        if self._tracker is None and not self._is_closed:
            self._tracker = track(self._target, self._prefixes, self)
        return self._store.now_ns() if self._is_in_touch() else NEVER

    def keep(self, key: str, thing: object, told: Told) -> None:
        """Keep what the server said, unless that has changed since it was asked."""
        if self._is_in_touch():
            self._store.keep(
                key,
                thing,
                size=told.size,
                since_ns=told.since,
                ttl_ms=told.ttl_ms,
                depends=told.depends,
            )

    def on_change(self, key: str, wake: Callable[[], None]) -> Callable[[], None]:
        """Call `wake` when the key changes, or may have; what is returned ends that."""
        with self._lock:
            self._wakes.setdefault(key, []).append(wake)

        def forget() -> None:
            with self._lock:
                wakes = self._wakes.get(key, [])
                if wake in wakes:
                    wakes.remove(wake)
                if not wakes:
                    self._wakes.pop(key, None)

        return forget

    def close(self) -> None:
        """Forget everything and stop listening."""
        self._is_closed = True
        if self._tracker:
            self._tracker = None
            untrack(self._target, self._prefixes, self)
        self._forget_all()

    def changed(self, keys: Sequence[str]) -> None:
        """The server says that these keys have changed, or this process has changed them."""
        self._store.change(keys)
        with self._lock:
            wakes = [wake for key in keys for wake in self._wakes.get(key, ())]
        for wake in wakes:
            wake()

    def opened(self) -> None:
        """The server tells of changes from now on; what was read before is not kept."""
        self._forget_all()
        self.emitter.emit(CacheMemoryOpened(cache=self._cache))

    def missed(self, reason: str) -> None:
        """Whatever the server may have said was not heard."""
        self._forget_all()
        self.emitter.emit(CacheMemoryLost(cache=self._cache, reason=reason))

    def renew(self) -> None:
        """In a fork nobody listens, and a lock may be held by nobody."""
        self._tracker = None
        self._begin_anew()

    def _begin_anew(self) -> None:
        self._store: Store[object] = Store(
            max_items=self._limits.max_items,
            max_bytes=self._limits.max_bytes,
            max_ttl_ms=to_ms(self._limits.max_ttl, "max_ttl"),
        )
        self._lock = threading.Lock()
        self._wakes: dict[str, list[Callable[[], None]]] = {}

    def _forget_all(self) -> None:
        self._store.flush()
        with self._lock:
            wakes = [wake for those in self._wakes.values() for wake in those]
        for wake in wakes:
            wake()

    def _is_in_touch(self) -> bool:
        tracker = self._tracker
        return tracker is not None and monotonic() < tracker.trusted_until
