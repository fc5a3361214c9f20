"""The same limits in this process alone, for as long as the server is away.

It counts by this machine's monotonic clock, and starts with nothing used: what other processes
grant it cannot know.
"""

from collections.abc import Sequence
from time import monotonic_ns
from typing import Final, TypeVar

from toril.toolkit.fork_lock import ForkLock
from toril.toolkit.limits.gauges import EMPTY, Gauge, State, open_gauge
from toril.toolkit.limits.ruling import NEVER, Reading, Ruling
from toril.toolkit.limits.wire import Row

V = TypeVar("V")

_MOST_KEYS: Final = 100_000
"""More than that, and entries go that say nothing any more; then the oldest ones."""


class LocalLimits:
    """Decides as the scripts do. Threads may share it."""

    def __init__(self) -> None:
        self._states: Final[dict[str, tuple[State, int]]] = {}
        self._forgotten: Final[dict[str, tuple[int, int]]] = {}
        self._lock: Final = ForkLock()

    def hit(self, rows: Sequence[Row], patience_us: int, now_us: int | None = None) -> Ruling:
        """Take the first slot within that patience; below 0 only tell about it."""
        with self._lock:
            now = monotonic_ns() // 1000 if now_us is None else now_us
            gauges = [self._open(row, now) for row in rows]
            slots = [
                NEVER if row[2] > row[4] else gauge.slot(row[2])
                for row, gauge in zip(rows, gauges, strict=True)
            ]
            slot_us = NEVER if NEVER in slots else max(slots)
            granted = slot_us != NEVER and slot_us - now <= patience_us
            for row, gauge in zip(rows, gauges, strict=True):
                if granted and row[2]:
                    gauge.take(row[2], slot_us)
                    self._store(row, gauge, now)
            readings = [
                Reading(slot, max(0, gauge.left), gauge.neutral_us)
                for slot, gauge in zip(slots, gauges, strict=True)
            ]
            return Ruling(granted, now, slot_us, readings)

    def adjust(
        self,
        rows: Sequence[Row],
        actual: int,
        *,
        granted_us: int,
        slot_us: int,
        now_us: int | None = None,
    ) -> None:
        """As if `actual` had been the cost of these rows, where they have not been reset since."""
        with self._lock:
            now = monotonic_ns() // 1000 if now_us is None else now_us
            for row in rows:
                gauge = self._open(row, now)
                if actual > row[2]:
                    gauge.take(actual - row[2], now)
                elif actual < row[2] and granted_us > self._forgotten.get(row[0], (0, 0))[0]:
                    gauge.give(row[2] - actual, slot_us, row[2])
                self._store(row, gauge, now)

    def reset(self, keys: Sequence[str], now_us: int | None = None) -> None:
        """Forget what was granted under these keys; that it was, for as long as that matters."""
        with self._lock:
            now = monotonic_ns() // 1000 if now_us is None else now_us
            for key in keys:
                _, until_us = self._states.pop(key, (EMPTY, 0))
                _, kept_until_us = self._forgotten.pop(key, (0, 0))
                if max(until_us, kept_until_us) > now:
                    self._forgotten[key] = now, max(until_us, kept_until_us)
            if len(self._forgotten) > _MOST_KEYS:
                _make_room(self._forgotten, now)

    def _open(self, row: Row, now_us: int) -> Gauge:
        state, until_us = self._states.get(row[0], (EMPTY, 0))
        return open_gauge(state if until_us > now_us else EMPTY, row, now_us)

    def _store(self, row: Row, gauge: Gauge, now_us: int) -> None:
        if gauge.neutral_us <= now_us:
            self._states.pop(row[0], None)
            return
        self._states.pop(row[0], None)
        self._states[row[0]] = (gauge.state, gauge.neutral_us)
        if len(self._states) > _MOST_KEYS:
            _make_room(self._states, now_us)


def _make_room(entries: dict[str, tuple[V, int]], now_us: int) -> None:
    """Each says until when it matters."""
    over = [key for key, (_, until_us) in entries.items() if until_us <= now_us]
    for key in over:
        del entries[key]
    # So much that the next ones need not look through all of them again.
    for key in list(entries)[: max(0, _MOST_KEYS // 10 - len(over))]:
        del entries[key]
