"""Who is in a soak: each pattern under one name, used from several connections and in threads.

A `Redlock` is not: it takes servers that are independent, and those of a cluster are not.
"""

import random
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack
from typing import Final

from tests.support.soak import actors
from tests.support.soak.actors import TAG, BlockingRound, Round
from tests.support.soak.laws import Laws

from toril.connection import AsyncConnection, Connection
from toril.toolkit import (
    AsyncCache,
    AsyncLock,
    AsyncMultiLock,
    AsyncOnce,
    AsyncRateLimiter,
    AsyncRWLock,
    AsyncSemaphore,
    Cache,
    Limit,
    LocalLevel,
    Lock,
    RateLimiter,
)

LASTING: Final = frozenset(
    (
        *("toril:lk:{plain}:f", "toril:lk:{fair}:f", "toril:lk:{beside}:f"),
        *("toril:sm:{press}:f", "toril:rw:{page}:f"),
        *("toril:c:{server}:gen", f"toril:c:{{server:{TAG}}}:tag"),
        *("toril:c:{memory}:gen", f"toril:c:{{memory:{TAG}}}:tag"),
    )
)
"""What has long to live by design, one for each name: fences, and generations of caches."""

_LIMITS: Final = (
    Limit("50/s", burst=5),
    Limit("50/s", algorithm="leaky_bucket"),
    Limit("10/s", algorithm="fixed_window"),
    Limit("10/s", algorithm="fixed_window", align="first_hit"),
    Limit("10/s", algorithm="sliding_log"),
    Limit("10/s", algorithm="sliding_counter"),
    Limit("10/s", algorithm="sliding_counter", mode="weighted"),
)
_PERMITS: Final = 3
_READERS: Final = 10
_LEASE_S: Final = 2.0
_KEPT_S: Final = 0.3
_MEMORY_BOUND_S: Final = 3.0
"""What the page about memory in front of Redis says."""


def new_laws() -> Laws:
    """What must hold for all who are in it."""
    return Laws(
        rooms={"plain": 1, "fair": 1, "press": _PERMITS, "page": _READERS},
        caches={"server": 0, "memory": _MEMORY_BOUND_S},
        kept_s=_KEPT_S,
    )


class Cast:
    """The rounds of all who share a connection; what they use is closed with the stack."""

    def __init__(
        self, stack: AsyncExitStack, connection: AsyncConnection, laws: Laws, dice: random.Random
    ) -> None:
        self._stack: Final = stack
        self._connection: Final = connection
        self._laws: Final = laws
        self._dice: Final = dice

    def rounds(self, *, changes: bool) -> Iterator[tuple[str, Round]]:
        """Each with the name of what it uses; `changes` for the one who changes what is cached."""
        yield from self._holders()
        yield from self._counters()
        for name, local in (("server", None), ("memory", LocalLevel())):
            yield from self._readers(name, local)
            if changes:
                yield f"changes of cache {name}", self._changes(name)

    def _holders(self) -> Iterator[tuple[str, Round]]:
        plain = AsyncLock("plain", self._connection, ttl=_LEASE_S)
        fair = AsyncLock("fair", self._connection, ttl=_LEASE_S, fair=True)
        multi = AsyncMultiLock(["plain", "beside"], self._connection, ttl=_LEASE_S)
        press = AsyncSemaphore("press", self._connection, permits=_PERMITS, ttl=_LEASE_S)
        page = AsyncRWLock("page", self._connection, ttl=_LEASE_S)
        for thing in (plain, fair, multi, press, page):
            self._stack.push_async_callback(thing.close)
        for name, hold, weight, count in (
            ("plain", plain.hold, 1, 2),
            ("fair", fair.hold, 1, 2),
            ("press", press.hold, 1, 4),
            ("page", page.read, 1, 3),
            ("page", page.write, _READERS, 1),
        ):
            room = self._laws.rooms[name]
            for _ in range(count):
                yield f"{name} {weight}", actors.holding(room, hold, self._dice, weight)
        yield "multi", actors.holding(self._laws.rooms["plain"], multi.hold, self._dice)

    def _counters(self) -> Iterator[tuple[str, Round]]:
        once = AsyncOnce("job", self._connection, ttl=_KEPT_S, lease=_LEASE_S)
        self._stack.push_async_callback(once.close)
        for _ in range(3):
            yield "once", actors.running(once, self._laws.runs, self._dice)
        limiters = {
            limit: AsyncRateLimiter(
                _name_of(limit), limit, self._connection, on_error="raise", deny_cache=0
            )
            for limit in _LIMITS
        }
        for limiter in limiters.values():
            self._stack.push_async_callback(limiter.close)
        for _ in range(2):
            yield "limits", actors.asking(limiters, self._laws.grants, self._dice)

    def _readers(self, name: str, local: LocalLevel | None) -> Iterator[tuple[str, Round]]:
        cache = AsyncCache[int](name, self._connection, ttl=1, local=local, on_error="raise")
        self._stack.push_async_callback(cache.close)
        for _ in range(3):
            yield f"cache {name}", actors.reading(cache, self._laws.truths[name], self._dice)

    def _changes(self, name: str) -> Round:
        cache = AsyncCache[int](name, self._connection, ttl=1, on_error="raise")
        self._stack.push_async_callback(cache.close)
        return actors.Changing(cache, self._laws.truths[name], self._dice)


def blocking_rounds(
    stack: ExitStack, connection: Connection, laws: Laws, dice: random.Random
) -> Iterator[tuple[str, BlockingRound]]:
    """Those of whoever has no loop, each for a thread of its own."""
    lock = Lock("plain", connection, ttl=_LEASE_S)
    stack.callback(lock.close)
    yield "lock in a thread", actors.holding_in_a_thread(laws.rooms["plain"], lock.hold, dice)
    limiters = {
        limit: RateLimiter(_name_of(limit), limit, connection, on_error="raise", deny_cache=0)
        for limit in _LIMITS
    }
    for limiter in limiters.values():
        stack.callback(limiter.close)
    yield "limits in a thread", actors.asking_in_a_thread(limiters, laws.grants, dice)
    cache = Cache[int]("server", connection, ttl=1, on_error="raise")
    stack.callback(cache.close)
    yield "cache in a thread", actors.reading_in_a_thread(cache, laws.truths["server"], dice)


def _name_of(limit: Limit) -> str:
    return f"{limit.algorithm} {limit.align} {limit.mode}"
