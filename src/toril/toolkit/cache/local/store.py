"""Values in the memory of this process: bounded, for a time, and never older than a change.

Whoever reads from the server takes the time before, and the store refuses what a change has
overtaken since. It remembers changes, not readers, so nothing is left behind by a reader that
does not come back; and it forgets the oldest changes together with all who began before them.

Two thirds of the places are for values that were asked for again, so that many values that are
wanted once do not drive out the few that are wanted always.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from time import monotonic_ns
from typing import Final, Generic, NamedTuple, TypeVar

from toril.toolkit.cache.level import NEVER

V = TypeVar("V")

OVERHEAD_BYTES: Final = 256
"""What an entry costs beside its key and value, roughly."""

_CHANGES: Final = 4_096
_PROVEN_PER_NEW: Final = 2


@dataclass(slots=True)
class StoreCounts:
    """What has happened in a store."""

    hits: int = 0
    misses: int = 0
    kept: int = 0
    refused: int = 0
    """Read, and not kept: a change came in between, or there was no place for so much."""

    evicted: int = 0
    changed: int = 0
    """Forgotten because the server said that they changed."""

    flushes: int = 0


class _Entry(NamedTuple, Generic[V]):
    value: V
    size: int
    until_ns: int
    depends: Sequence[str]


class Store(Generic[V]):
    """Any thread may call its methods. Time is that of the monotonic clock."""

    def __init__(
        self,
        *,
        max_items: int,
        max_bytes: int,
        max_ttl_ms: int,
        clock: Callable[[], int] = monotonic_ns,
    ) -> None:
        self.now_ns: Final = clock
        self.counts: Final = StoreCounts()
        self._max_items: Final = max_items
        self._max_bytes: Final = max_bytes
        self._max_ttl_ns: Final = max_ttl_ms * 1_000_000
        self._lock: Final = threading.Lock()
        # Both in the order of their last use. Who is asked for again moves from `new` to `proven`.
        self._new: Final[OrderedDict[str, _Entry[V]]] = OrderedDict()
        self._proven: Final[OrderedDict[str, _Entry[V]]] = OrderedDict()
        self._dependents: Final[dict[str, set[str]]] = {}
        self._bytes = 0
        self._changed: Final[OrderedDict[str, int]] = OrderedDict()
        self._oldest_reader_ns = 0

    def __len__(self) -> int:
        return len(self._new) + len(self._proven)

    @property
    def size_bytes(self) -> int:
        """What all entries cost."""
        return self._bytes

    def get(self, key: str) -> V | None:
        """The value, when there is one whose time is not over."""
        with self._lock:
            entry = self._proven.get(key) or self._new.get(key)
            if entry is None or entry.until_ns <= self.now_ns():
                self._forget(key)
                self.counts.misses += 1
                return None
            self._new.pop(key, None)
            self._proven[key] = entry
            self._proven.move_to_end(key)
            self.counts.hits += 1
            return entry.value

    def keep(
        self,
        key: str,
        value: V,
        *,
        size: int,
        since_ns: int,
        ttl_ms: int,
        depends: Sequence[str] = (),
    ) -> bool:
        """Keep what somebody read who began at `since_ns`, from when on its time counts.

        It is forgotten when its key changes, or one that it depends on.
        """
        size += len(key) + OVERHEAD_BYTES
        until_ns = since_ns + min(ttl_ms * 1_000_000, self._max_ttl_ns)
        with self._lock:
            changed_ns = max(self._changed.get(each, NEVER) for each in (key, *depends))
            if (
                since_ns <= max(changed_ns, self._oldest_reader_ns)
                or size > self._max_bytes
                or until_ns <= self.now_ns()
            ):
                self.counts.refused += 1
                return False
            self._forget(key)
            self._new[key] = _Entry(value, size, until_ns, depends)
            for each in depends:
                self._dependents.setdefault(each, set()).add(key)
            self._bytes += size
            self.counts.kept += 1
            self._make_room()
        return True

    def change(self, keys: Iterable[str]) -> None:
        """Forget these and what depends on them, also what is just being read."""
        with self._lock:
            for key in keys:
                for each in (key, *self._dependents.get(key, ())):
                    self.counts.changed += self._forget(each)
                self._changed.pop(key, None)
                self._changed[key] = self.now_ns()
            while len(self._changed) > _CHANGES:
                _, self._oldest_reader_ns = self._changed.popitem(last=False)

    def flush(self) -> None:
        """Forget everything, also what is just being read."""
        with self._lock:
            self._new.clear()
            self._proven.clear()
            self._dependents.clear()
            self._changed.clear()
            self._bytes = 0
            self._oldest_reader_ns = self.now_ns()
            self.counts.flushes += 1

    def _forget(self, key: str) -> bool:
        entry = self._new.pop(key, None) or self._proven.pop(key, None)
        if entry is None:
            return False
        self._bytes -= entry.size
        for each in entry.depends:
            others = self._dependents[each]
            others.discard(key)
            if not others:
                del self._dependents[each]
        return True

    def _make_room(self) -> None:
        """Which is never made by what has just come."""
        while len(self) > self._max_items or self._bytes > self._max_bytes:
            is_crowded = len(self._proven) > _PROVEN_PER_NEW * len(self._new)
            home = self._proven if is_crowded or len(self._new) == 1 else self._new
            self._forget(next(iter(home)))
            self.counts.evicted += 1
