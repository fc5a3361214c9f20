"""What no storm may break: who watches leases, limits, runs and cached values, and remembers."""

import threading
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from time import monotonic
from typing import Final

from tests.support.limit_laws import Granted, breaches

from toril.toolkit import AsyncLease, Decision, Lease, Limit


class Room:
    """Holders of leases come in; of those whose leases stand there are never too many.

    One that weighs as much as the room can bear is alone, and its fence is above all before it.
    """

    def __init__(self, name: str, capacity: int = 1) -> None:
        self.name: Final = name
        self.breaches: Final[list[str]] = []
        self._capacity: Final = capacity
        self._guard: Final = threading.Lock()
        self._inside: Final[dict[AsyncLease | Lease, int]] = {}
        self._newest = 0

    @contextmanager
    def visit(self, lease: AsyncLease | Lease, weight: int = 1) -> Iterator[None]:
        """Be inside while the block runs, from any thread."""
        with self._guard:
            self._inside[lease] = weight
            self._look_around()
            if weight == self._capacity and lease.remaining():
                self._take_fence(lease.fence)
        try:
            yield
        finally:
            with self._guard:
                del self._inside[lease]

    def _look_around(self) -> None:
        standing = [weight for lease, weight in self._inside.items() if lease.remaining()]
        if sum(standing) > self._capacity:
            self.breaches.append(f"{self.name}: {standing} at once")

    def _take_fence(self, fence: int) -> None:
        if fence <= self._newest:
            self.breaches.append(f"{self.name}: fence {fence} after {self._newest}")
        self._newest = fence


class Grants:
    """What limits have granted."""

    def __init__(self) -> None:
        self._granted: Final[defaultdict[Limit, list[Granted]]] = defaultdict(list)

    def note(self, limit: Limit, decision: Decision) -> None:
        """A limiter has decided."""
        if decision.allowed:
            self._granted[limit].append(Granted(decision.ruling.slot_us, decision.cost))

    @property
    def breaches(self) -> list[str]:
        """In which windows it was too much."""
        return [
            found for limit, granted in self._granted.items() for found in breaches(limit, granted)
        ]


class Runs:
    """Runs of a key whose result was kept: none begins while an earlier result is kept."""

    def __init__(self, kept_s: float) -> None:
        self._kept_s: Final = kept_s
        self._spans: Final[defaultdict[str, list[tuple[float, float]]]] = defaultdict(list)

    def note(self, key: str, began: float, ended: float) -> None:
        """Of one run, and its result is kept."""
        self._spans[key].append((began, ended))

    @property
    def breaches(self) -> list[str]:
        """Which runs came too early."""
        return [
            f"{key}: it ran again {later[0] - earlier[1]:.3f} s after it had ended"
            for key, spans in self._spans.items()
            for earlier, later in pairwise(sorted(spans))
            if later[0] < earlier[1] + self._kept_s
        ]


class Truth:
    """A number for each key, which only grows, and since when a cache certainly knew of each."""

    def __init__(self, name: str, bound_s: float) -> None:
        self.breaches: Final[list[str]] = []
        self._name: Final = name
        self._bound_s: Final = bound_s
        self._versions: Final[defaultdict[str, int]] = defaultdict(int)
        self._certain: Final[defaultdict[str, list[tuple[float, int]]]] = defaultdict(list)

    def version_of(self, key: str) -> int:
        """As it is now."""
        return self._versions[key]

    def change(self, key: str) -> int:
        """What it is then."""
        self._versions[key] += 1
        return self._versions[key]

    def is_certain(self, key: str, version: int) -> None:
        """From now on no read may give an older one; versions of a key come in order."""
        self._certain[key].append((monotonic(), version))

    def saw(self, key: str, version: int, began: float) -> None:
        """A read that began then gave this version."""
        certain = self._certain[key]
        known = bisect_right(certain, (began - self._bound_s, 0))
        if known and version < certain[known - 1][1]:
            at, newest = certain[known - 1]
            self.breaches.append(
                f"{self._name}: {key} was {version}, {began - at:.3f} s after {newest} was certain"
            )


class Laws:
    """All of them."""

    def __init__(
        self, rooms: Mapping[str, int], caches: Mapping[str, float], kept_s: float
    ) -> None:
        self.rooms: Final = {name: Room(name, capacity) for name, capacity in rooms.items()}
        self.truths: Final = {name: Truth(name, bound_s) for name, bound_s in caches.items()}
        self.grants: Final = Grants()
        self.runs: Final = Runs(kept_s)

    @property
    def breaches(self) -> list[str]:
        """What was broken of them."""
        rooms = [found for room in self.rooms.values() for found in room.breaches]
        truths = [found for truth in self.truths.values() for found in truth.breaches]
        return [*rooms, *truths, *self.grants.breaches, *self.runs.breaches]
