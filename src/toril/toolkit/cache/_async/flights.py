"""Loadings that several callers wait for. A hand-written pair with `_sync/flights.py`."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Final, Generic, TypeAlias, TypeVar, cast

from toril.core.errors import BadInputError, ClosedError, TorilError
from toril.runtime.thread_calls import call_in
from toril.toolkit.cache.level import Level
from toril.toolkit.cache.load import LOADING, Load, Place, takes_load
from toril.toolkit.errors import LoaderFailedError

V = TypeVar("V")

AsyncLoader: TypeAlias = Callable[[], Awaitable[V]] | Callable[[Load[V]], Awaitable[V]]
"""Makes a value; one that takes an argument is given the `Load`."""

AsyncChange: TypeAlias = Callable[[], Awaitable[V]]
"""Changes what an entry is made of, and returns what it is now."""

AsyncManyLoader: TypeAlias = Callable[[list[str]], Awaitable[Mapping[str, V]]]
"""Makes values of several keys; a key that it leaves out has None."""

_CLOSING_S: Final = 1.0


class SlowError(Exception):
    """The loading goes on, and its caller wanted to wait no longer."""


class LateError(Exception):
    """The loader took longer than it may."""


class AsyncFlight(Generic[V]):
    """One loading under way, in a task of its own: no caller takes it with him when he leaves."""

    def __init__(self, flights: "AsyncFlights[V]") -> None:
        self._flights: Final = flights
        self._waiting = 0
        self._goes_on = False
        self._has_begun = False
        self._is_unwanted = False
        self.names: Final[set[str]] = set()
        self._places: Final[set[Place]] = set()
        self.task: asyncio.Task[V] | None = None

    def also(self, name: str, seen: bytes) -> None:
        """From now on it is found under this name, too, by those who have seen the same."""
        self.names.add(name)
        self._places.add((name, seen))
        self._flights.by_place[name, seen] = self

    async def wait(self, soft_ms: int | None) -> V:
        """Its end; without anybody who waits it is cancelled.

        Raises:
            SlowError: it goes on.
        """
        assert self.task is not None  # noqa: S101 - it was begun by whoever made it
        self._waiting += 1
        try:
            timeout = None if soft_ms is None else soft_ms / 1_000
            await asyncio.wait((self.task,), timeout=timeout)
            if not self.task.done():
                self._goes_on = True
                raise SlowError
            if self.task.cancelled():
                raise ClosedError("the cache")
            return self.task.result()
        finally:
            self._waiting -= 1
            if not self._waiting and not self._goes_on:
                self._give_up()

    def begin(self) -> None:
        """The task runs: from now on it can be cancelled, and will clean up."""
        self._has_begun = True
        if self._is_unwanted and self.task:
            self.task.cancel()

    def end(self) -> None:
        """Whoever comes from now on finds it no more."""
        for place in self._places:
            if self._flights.by_place.get(place) is self:
                del self._flights.by_place[place]

    def _give_up(self) -> None:
        self._is_unwanted = True
        self.end()
        if self._has_begun and self.task:
            self.task.cancel()


class AsyncFlights(Generic[V]):
    """The loadings of one cache, by what they are about. All of it belongs to one loop."""

    def __init__(self, cache: str) -> None:
        self._cache: Final = cache
        self._tasks: Final[set[asyncio.Task[V]]] = set()
        self.by_place: Final[dict[Place, AsyncFlight[V]]] = {}

    async def share(
        self,
        name: str,
        body: Callable[[AsyncFlight[V]], Awaitable[V]],
        soft_ms: int | None = None,
        *,
        seen: bytes = b"",
        leads: bool = False,
    ) -> V:
        """The end of the loading of this name; where there is none, of `body`.

        Whoever `leads` joins nobody: others may have heard of its lease before it has itself,
        and wait for it. Only those join who have `seen` the same: a loading that began before a
        tag was invalidated is not for whoever comes after that.

        Raises:
            LoaderFailedError: another caller's loader raised.
            SlowError: it goes on after `soft_ms`.
        """
        if name in LOADING.get():
            raise BadInputError("loader", "waits for the very entry that it loads")
        flight = self.by_place.get((name, seen))
        if flight is None or leads:
            return await self._begin(name, seen, body).wait(soft_ms)
        try:
            return await flight.wait(soft_ms)
        except (TorilError, SlowError):
            raise
        except Exception as error:
            raise LoaderFailedError(self._cache, type(error).__qualname__) from error

    async def close(self) -> None:
        """Break off every loading, and wait until they have cleaned up."""
        tasks = set(self._tasks)
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks, timeout=_CLOSING_S)

    def _begin(
        self, name: str, seen: bytes, body: Callable[[AsyncFlight[V]], Awaitable[V]]
    ) -> AsyncFlight[V]:
        flight = AsyncFlight(self)
        flight.also(name, seen)
        flight.task = asyncio.create_task(self._fly(flight, body))
        self._tasks.add(flight.task)
        flight.task.add_done_callback(self._tasks.discard)
        flight.task.add_done_callback(_heard)
        return flight

    async def _fly(
        self, flight: AsyncFlight[V], body: Callable[[AsyncFlight[V]], Awaitable[V]]
    ) -> V:
        flight.begin()
        try:
            return await body(flight)
        finally:
            flight.end()


def _heard(task: asyncio.Task[V]) -> None:
    """What it raised when nobody waited any more is told by events alone."""
    if not task.cancelled():
        task.exception()


async def run_loader(
    loader: AsyncLoader[V], load: Load[V], names: set[str], hard_ms: int | None
) -> V:
    """The loader's value.

    Raises:
        LateError: it took longer than `hard_ms`, and was cancelled.
    """
    call = cast("Callable[..., Awaitable[V]]", loader)
    before = LOADING.set(LOADING.get() | names)
    limit = asyncio.timeout(None if hard_ms is None else hard_ms / 1_000)
    try:
        async with limit:
            return await (call(load) if takes_load(loader) else call())
    except TimeoutError as error:
        if limit.expired():
            raise LateError from error
        raise
    finally:
        LOADING.reset(before)


async def until_changed(level: Level, key: str, within_s: float) -> None:
    """Wait until the key changes, as far as that is noticed, or until the time is over."""
    loop = asyncio.get_running_loop()
    changed = asyncio.Event()
    end = level.on_change(key, lambda: call_in(loop, changed.set))
    try:
        async with asyncio.timeout(within_s):
            await changed.wait()
    except TimeoutError:
        pass
    finally:
        end()
