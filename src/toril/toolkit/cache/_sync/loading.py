"""Load what is missing: one loader at a time for each entry, wherever its callers are."""  # generated from _async/loading.py by tools/generate_sync.py: edit that file

import math
from collections.abc import Callable
from time import monotonic
from typing import Final, Generic, TypeVar

import msgspec

from toril.core.chance import CHANCE
from toril.core.errors import TorilError
from toril.telemetry import toolkit_cache as events
from toril.toolkit.cache._sync.filling import Filling, Loaded
from toril.toolkit.cache._sync.flights import (
    Flight,
    Flights,
    Loader,
    LateError,
    SlowError,
    run_loader,
    until_changed,
)
from toril.toolkit.cache._sync.parts import Parts
from toril.toolkit.cache.load import Load
from toril.toolkit.cache.operations.fetch import Found
from toril.toolkit.cache.operations.renew_lease import RenewLease
from toril.toolkit.cache.view import MISSING, View
from toril.toolkit.errors import LoaderFailedError, LoaderTimeoutError
from toril.toolkit.tokens import new_token

V = TypeVar("V")

_FIRST_POLL_S: Final = 0.005
_LAST_POLL_S: Final = 0.1
_GROWTH: Final = 1.5

_ELSEWHERE: Final = frozenset({Found.WAITS, Found.STALE})
"""Somebody else loads."""


class Terms(msgspec.Struct, Generic[V], frozen=True, kw_only=True):
    """What one caller wants."""

    key: str
    loader: Loader[V]
    ttl_us: int | None = None
    tags: tuple[str, ...] = ()
    when: Callable[[V], bool] | None = None
    """Whether this value is to be stored."""

    is_fresh: bool = False
    """Whether the server is to be asked, whatever is known here."""

    at_once: bool = False
    """Whether to load, whatever there is."""


class Loading(Generic[V]):
    """Decides who loads. The lease decides between processes, a flight within this one.

    A caller asks the server before it joins a flight, and joins only the one that has the lease,
    or waits for it. So nobody is given what was read before a change that it knows of.
    """

    def __init__(self, parts: Parts[V]) -> None:
        self._parts: Final = parts
        self._rules: Final = parts.rules
        self._filling: Final = Filling(parts)
        self._flights: Final[Flights[V]] = Flights(parts.rules.name)

    def get(self, terms: Terms[V]) -> V:
        """A value that is fresh; or stale, where the rules say so."""
        if not (terms.is_fresh or terms.at_once):
            known = self._parts.entries.known(terms.key)
            if known is not MISSING:
                self._tell(events.CacheHit(cache=self._rules.name, is_local=True))
                return known
        view = self._ask(terms)
        if view is None:
            name = f"{terms.key} alone"
            load = Load[V](MISSING, None, terms.tags)
            return self._flights.share(name, lambda flight: self._run(flight, terms, load))
        if self._is_enough(view, terms) and view.value is not MISSING:
            return self._served(view, view.value)
        return self._share(view, terms)

    def close(self) -> None:
        """Break off what is being loaded."""
        self._flights.close()

    def _ask(self, terms: Terms[V]) -> View[V] | None:
        """The entry, with the lease where that is free; None when the server cannot be asked."""
        entries, token = self._parts.entries, new_token()
        try:
            return entries.ask(terms.key, terms.tags, token, at_once=terms.at_once)
        except TorilError as error:
            self._parts.forgive(error)
            return None
        except BaseException:
            # Broken off, maybe after the server has given the lease.
            self._filling.give_back(entries.keys.entry(terms.key), token)
            raise

    def _is_enough(self, view: View[V], terms: Terms[V]) -> bool:
        if view.value is MISSING or view.found is Found.LEADS:
            return False
        return view.found is not Found.STALE or not terms.at_once

    def _served(self, view: View[V], value: V) -> V:
        if view.fetched.left_ms > 0:
            self._tell(events.CacheHit(cache=self._rules.name, is_local=False))
        else:
            self._tell(events.CacheServedStale(cache=self._rules.name))
        return value

    def _share(self, view: View[V], terms: Terms[V]) -> V:
        value = view.value
        if value is MISSING:
            self._tell(events.CacheMissed(cache=self._rules.name))
        soft_ms = None if value is MISSING else self._rules.soft_ms
        name = f"{terms.key} {view.detail}"
        try:
            return self._flights.share(
                name,
                lambda flight: self._resolve(flight, view, terms),
                soft_ms,
                seen=view.fetched.generations,
                leads=view.found is Found.LEADS,
            )
        except SlowError:
            if value is MISSING:
                raise
            return self._served(view, value)

    def _resolve(self, flight: Flight[V], view: View[V], terms: Terms[V]) -> V:
        """Wait while somebody else loads; then do what is to be done."""
        now = self._wait(flight, view, terms)
        if now is None or now.found in (Found.WRITING, Found.WAITS):
            return self._run(flight, terms, Load(MISSING, None, terms.tags))
        if now.found is Found.LEADS:
            return self._lead(flight, now, terms)
        if now.value is MISSING:
            raise LoaderFailedError(self._rules.name, now.detail)
        return self._served(now, now.value)

    def _wait(
        self, flight: Flight[V], view: View[V], terms: Terms[V]
    ) -> View[V] | None:
        """The entry when nobody else loads it any more, or this one has waited long enough."""
        now: View[V] | None = view
        started, pause_s = monotonic(), _FIRST_POLL_S
        patience_s = math.inf if self._rules.wait_ms is None else self._rules.wait_ms / 1_000
        value_key = self._parts.entries.keys.entry(terms.key).value
        while now and not self._is_enough(now, terms) and now.found in _ELSEWHERE:
            if monotonic() - started >= patience_s:
                break
            jitter = CHANCE.uniform(0.5, 1)
            until_changed(self._parts.level, value_key, pause_s * jitter)
            pause_s = min(pause_s * _GROWTH, _LAST_POLL_S)
            now = self._ask(terms)
            if now and now.detail:
                flight.also(f"{terms.key} {now.detail}", now.fetched.generations)
        return now

    def _lead(self, flight: Flight[V], view: View[V], terms: Terms[V]) -> V:
        """Load and store, with the lease."""
        parts, token = self._parts, view.token
        keys = parts.entries.keys.entry(terms.key)
        load = Load(view.value, terms.ttl_us, terms.tags)
        renewal = RenewLease(keys=keys, token=token, lease_ms=self._rules.lease_ms)
        parts.keeper.hold(token, renewal)
        started = monotonic()
        try:
            value = self._run(flight, terms, load)
            took_s = monotonic() - started
            new = self._filling.ready(view, load, value)
            self._filling.fill([Loaded(keys, token, new)], took_s)
        except Exception as error:
            self._filling.give_back(keys, token, reason=type(error).__qualname__)
            if view.value is MISSING:
                raise
            return self._served(view, view.value)
        except BaseException:
            self._filling.give_back(keys, token)
            raise
        else:
            return value
        finally:
            parts.keeper.drop(token)

    def _run(self, flight: Flight[V], terms: Terms[V], load: Load[V]) -> V:
        """Run the loader, which may say what it thinks of its value."""
        hard_ms = self._rules.hard_ms
        try:
            value = run_loader(terms.loader, load, flight.names, hard_ms)
        except LateError as late:
            error = LoaderTimeoutError(self._rules.name, hard_ms or 0)
            self._parts.load_failed(error)
            raise error from late
        except Exception as error:
            self._parts.load_failed(error)
            raise
        if terms.when is not None and not terms.when(value):
            load.no_store()
        return value

    def _tell(self, event: events.CacheEvent) -> None:
        self._parts.emitter.emit(event)
