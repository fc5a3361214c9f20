"""Renew leases from a thread of its own: a blocked event loop must not lose its jobs.

Knows nothing of asyncio; whoever is told something here is told on the keeper's thread.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Protocol

from toril.runtime.options import EngineOptions
from toril.runtime.source import Lease


class Renewing(Protocol):
    """What the keeper wants of a `Source`."""

    def renew(self, leases: Sequence[Lease]) -> Sequence[Lease]:
        """Prolong these leases and return the ones that are lost."""
        ...

    def renew_unread(self) -> None:
        """Prolong what was claimed by calls whose replies nobody has read for long."""
        ...


class LeaseKeeper:
    """Holds every lease from its claim until its settlement is acknowledged.

    `_held` maps a lease to the last moment at which it certainly began anew. The engine adds and
    removes leases, the thread moves their moments and removes lost ones, each under `_lock`; the
    lock is never held while the store is asked.
    """

    def __init__(
        self,
        source: Renewing,
        options: EngineOptions,
        *,
        lost: Callable[[list[Lease]], None],
        failed: Callable[[Exception], object],
        ended: Callable[[BaseException | None], None],
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._source = source
        self._lease_s = options.lease_ms / 1_000
        self._renew_after_s = options.renew_after_ms / 1_000
        self._check_every_s = options.check_every_ms / 1_000
        self._retry_s = options.renew_retry_ms / 1_000
        self._lost = lost
        self._failed = failed
        self._ended = ended
        self._clock = clock
        self._lock = threading.Lock()
        self._held: dict[Lease, float] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="toril lease keeper", daemon=True)

    def start(self) -> None:
        """Begin to renew."""
        self._thread.start()

    def stop(self) -> None:
        """Let the thread end; it may still be waiting for the store."""
        self._stopping.set()

    def join(self, timeout_s: float) -> None:
        """Wait for the thread, which must have been told to stop and have said that it ends."""
        self._thread.join(timeout_s)

    def change(
        self, *, dropped: Iterable[Lease], held: Iterable[Lease], since: float | None = None
    ) -> None:
        """Renew the first no more, and from now on the second, which run since then, or now."""
        began = self._clock() if since is None else since
        with self._lock:
            for lease in dropped:
                self._held.pop(lease, None)
            for lease in held:
                self._held[lease] = began

    def covers(self, lease: Lease) -> bool:
        """Whether this lease cannot have ended yet; it may have, when the process stood still."""
        with self._lock:
            at = self._held.get(lease)
        return at is not None and self._clock() - at < self._lease_s

    def check(self) -> float:
        """Renew what is old enough, and return the seconds until the next check."""
        now = self._clock()
        with self._lock:
            due = [lease for lease, at in self._held.items() if now - at >= self._renew_after_s]
        try:
            self._source.renew_unread()
            lost = self._source.renew(due) if due else ()
        except Exception as error:  # noqa: BLE001 - leases outlive every error of the store
            self._failed(error)
            self._tell_lost(self._take_expired(due, now))
            return self._retry_s
        self._tell_lost(self._take_lost(due, lost, now))
        return self._check_every_s

    def _run(self) -> None:
        try:
            wait_s = self._check_every_s
            while not self._stopping.wait(wait_s):
                wait_s = self.check()
        except BaseException as error:  # noqa: BLE001 - the engine must hear of any end of this thread
            self._ended(error)
        else:
            self._ended(None)

    def _take_lost(self, due: list[Lease], lost: Sequence[Lease], now: float) -> list[Lease]:
        gone = set(lost)
        with self._lock:
            for lease in due:
                if lease in self._held and lease not in gone:
                    self._held[lease] = now
            return [lease for lease in lost if self._held.pop(lease, None) is not None]

    def _take_expired(self, due: list[Lease], now: float) -> list[Lease]:
        """Lose the leases that have certainly ended, though the store cannot say so."""
        with self._lock:
            expired = [lease for lease in due if now - self._held.get(lease, now) >= self._lease_s]
            for lease in expired:
                del self._held[lease]
            return expired

    def _tell_lost(self, leases: list[Lease]) -> None:
        if leases:
            self._lost(leases)
