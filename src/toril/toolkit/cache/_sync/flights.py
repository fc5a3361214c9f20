"""Loadings that several callers wait for. A hand-written pair with `_async/flights.py`."""

import threading
from collections.abc import Callable, Mapping
from contextvars import copy_context
from typing import Final, Generic, TypeAlias, TypeVar, cast

from toril.core.process import process_id
from toril.core.errors import BadInputError, TorilError
from toril.toolkit.cache.level import Level
from toril.toolkit.cache.load import LOADING, Load, Place, takes_load
from toril.toolkit.errors import LoaderFailedError

V = TypeVar("V")

Loader: TypeAlias = Callable[[], V] | Callable[[Load[V]], V]
"""Makes a value; one that takes an argument is given the `Load`."""

Change: TypeAlias = Callable[[], V]
"""Changes what an entry is made of, and returns what it is now."""

ManyLoader: TypeAlias = Callable[[list[str]], Mapping[str, V]]
"""Makes values of several keys; a key that it leaves out has None."""


class SlowError(Exception):
    """The loading goes on, and its caller wanted to wait no longer."""


class LateError(Exception):
    """The loader took longer than it may; it cannot be broken off, and is waited for no more."""


class _Call(Generic[V]):
    """One call of a function, in whatever thread; others wait for its end."""

    def __init__(self, function: Callable[[], V]) -> None:
        self._function: Final = function
        self._ended: Final = threading.Event()
        self._values: list[V] = []
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._values.append(self._function())
        except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
            self._error = error
        finally:
            self._ended.set()

    def run_aside(self) -> None:
        """In a thread that keeps no process alive."""
        context = copy_context()
        threading.Thread(
            target=context.run, args=(self.run,), name="toril cache", daemon=True
        ).start()

    def ends(self, within_ms: int | None) -> bool:
        return self._ended.wait(None if within_ms is None else within_ms / 1_000)

    def result(self) -> V:
        if self._error:
            raise self._error
        return self._values[0]


class Flight(Generic[V]):
    """One loading under way: in the thread of who began it, or in one of its own."""

    def __init__(self, flights: "Flights[V]", body: "Callable[[Flight[V]], V]") -> None:
        self._flights: Final = flights
        self.names: Final[set[str]] = set()
        self.places: Final[set[Place]] = set()
        self.call: Final = _Call(lambda: flights.fly(self, body))

    def also(self, name: str, seen: bytes) -> None:
        """From now on it is found under this name, too, by those who have seen the same."""
        with self._flights.lock:
            self.names.add(name)
            self.places.add((name, seen))
            self._flights.by_place[name, seen] = self


class Flights(Generic[V]):
    """The loadings of one cache, by what they are about. For any number of threads."""

    def __init__(self, cache: str) -> None:
        self._cache: Final = cache
        self._begin_anew()

    def _begin_anew(self) -> None:
        """In a fork nobody ends what the parent loads, and the lock may be held by nobody."""
        self.lock = threading.RLock()
        self.by_place: dict[Place, Flight[V]] = {}
        self._pid = process_id()

    def share(
        self,
        name: str,
        body: Callable[[Flight[V]], V],
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
        if self._pid != process_id():
            self._begin_anew()
        with self.lock:
            flight = self.by_place.get((name, seen))
            is_new = flight is None or leads
            if flight is None or leads:
                flight = Flight(self, body)
                flight.also(name, seen)
        if is_new:
            return _begin(flight.call, soft_ms)
        if not flight.call.ends(soft_ms):
            raise SlowError
        try:
            return flight.call.result()
        except TorilError:
            raise
        except BaseException as error:
            raise LoaderFailedError(self._cache, type(error).__qualname__) from error

    def fly(self, flight: Flight[V], body: Callable[[Flight[V]], V]) -> V:
        """Run the body; whoever comes later begins another."""
        try:
            return body(flight)
        finally:
            with self.lock:
                for place in flight.places:
                    if self.by_place.get(place) is flight:
                        del self.by_place[place]

    def close(self) -> None:
        """Each loading belongs to a thread, which ends it."""


def _begin(call: _Call[V], soft_ms: int | None) -> V:
    if soft_ms is None:
        call.run()
    else:
        call.run_aside()
    if not call.ends(soft_ms):
        raise SlowError
    return call.result()


def run_loader(loader: Loader[V], load: Load[V], names: set[str], hard_ms: int | None) -> V:
    """The loader's value.

    Raises:
        LateError: it takes longer than `hard_ms`; it goes on in a thread of its own.
    """
    function = cast("Callable[..., V]", loader)
    call = _Call(lambda: function(load) if takes_load(loader) else function())
    before = LOADING.set(LOADING.get() | names)
    try:
        if hard_ms is None:
            call.run()
        else:
            call.run_aside()
    finally:
        LOADING.reset(before)
    if not call.ends(hard_ms):
        raise LateError
    return call.result()


def until_changed(level: Level, key: str, within_s: float) -> None:
    """Wait until the key changes, as far as that is noticed, or until the time is over."""
    changed = threading.Event()
    end = level.on_change(key, changed.set)
    try:
        changed.wait(within_s)
    finally:
        end()
