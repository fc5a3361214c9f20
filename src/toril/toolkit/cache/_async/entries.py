"""Entries as callers see them: fetched, judged and decoded."""

import math
from collections.abc import Sequence
from typing import Final, Generic, TypeVar

from msgspec.structs import replace

from toril.core.chance import CHANCE
from toril.core.errors import UndecodableError
from toril.telemetry.toolkit_cache import CacheUndecodable
from toril.toolkit.cache._async.asking import AsyncAsking
from toril.toolkit.cache.codec import Codec
from toril.toolkit.cache.level import NEVER, Level, Told
from toril.toolkit.cache.operations.fetch import Fetch, Fetched, Found
from toril.toolkit.cache.options import CacheRules
from toril.toolkit.cache.view import MISSING, Maybe, Shared, View
from toril.toolkit.cache.wire import Envelope, packed_tags
from toril.toolkit.tokens import new_token

V = TypeVar("V")

_AT_ONCE: Final = 1e300
"""A draw by which every value is due."""

_TO_USE: Final = frozenset({Found.FRESH, Found.STALE, Found.FAILED})


class AsyncEntries(Generic[V]):
    """The read path of a cache: the level in front, then the server."""

    def __init__(
        self, rules: CacheRules, asking: AsyncAsking, codec: Codec[V], level: Level
    ) -> None:
        self.keys: Final = rules.keys
        self._rules: Final = rules
        self._keep_ms: Final = rules.keep_ms
        self._asking: Final = asking
        self._codec: Final = codec
        self._level: Final = level
        self._emitter: Final = asking.emitter

    def known(self, key: str) -> Maybe[V]:
        """A fresh value that is known without asking the server."""
        held = self._level.get(self.keys.entry(key).value)
        if isinstance(held, Envelope):
            return self._decoded(held)
        return held.value if isinstance(held, Shared) else MISSING

    async def look(self, key: str) -> View[V]:
        """Read an entry, and leave it at that."""
        return await self._read(self._fetch(key, ()), ())

    async def ask(
        self, key: str, tags: tuple[str, ...], token: str, *, at_once: bool = False
    ) -> View[V]:
        """Read an entry, and take the lease on loading where it is to be loaded."""
        draw = _AT_ONCE if at_once else self._draw()
        return await self._read(self._with_lease(key, tags, token, draw), tags)

    async def ask_many(self, keys: Sequence[str], tags: tuple[str, ...]) -> list[View[V]]:
        """The same for many, in one round trip for each server."""
        fetches = [self._with_lease(key, tags, new_token(), self._draw()) for key in keys]
        since = self._level.begin()
        found = await self._asking.fetch_all(fetches)
        views: list[View[V]] = []
        for fetch, fetched in zip(fetches, found, strict=True):
            view = await self._judge(fetch, fetched, tags)
            self._keep(fetch, view, since)
            views.append(view)
        return views

    def _with_lease(self, key: str, tags: tuple[str, ...], token: str, draw: float) -> Fetch:
        return Fetch(
            keys=self.keys.entry(key),
            generation_keys=self.keys.generations(tags),
            keep_ms=self._keep_ms,
            token=token,
            lease_ms=self._rules.lease_ms,
            draw=draw,
        )

    def _fetch(self, key: str, tags: tuple[str, ...]) -> Fetch:
        return Fetch(
            keys=self.keys.entry(key),
            generation_keys=self.keys.generations(tags),
            keep_ms=self._keep_ms,
        )

    def _draw(self) -> float:
        """How many times its loading time before its end a value is renewed by this caller."""
        return -math.log(1.0 - CHANCE.random()) * self._rules.beta

    async def _read(self, fetch: Fetch, tags: tuple[str, ...]) -> View[V]:
        since = self._level.begin()
        view = await self._judged(fetch, tags)
        self._keep(fetch, view, since)
        return view

    def _keep(self, fetch: Fetch, view: View[V], since: int) -> None:
        """Let the next ones know what the server has said."""
        fetched, envelope = view.fetched, view.envelope
        if since == NEVER or fetched.found is not Found.FRESH:
            return
        if envelope is None or view.value is MISSING:
            return
        # A copy is used a little less long, so that it, too, is renewed before its time.
        early_ms = math.ceil(envelope.compute_us * self._draw() / 1_000)
        told = Told(
            since=since,
            size=len(fetched.raw),
            ttl_ms=fetched.left_ms - early_ms,
            depends=self.keys.generations(envelope.tags),
        )
        held = Shared(view.value) if self._rules.shares_objects else envelope
        self._level.keep(fetch.keys.value, held, told)

    async def _judged(self, fetch: Fetch, tags: tuple[str, ...]) -> View[V]:
        return await self._judge(fetch, await self._asking.fetch(fetch), tags)

    async def _judge(self, fetch: Fetch, fetched: Fetched, tags: tuple[str, ...]) -> View[V]:
        envelope = Envelope.read(fetched.raw)
        if envelope is None:
            if fetched.raw:
                self._undecodable("it is no envelope of this version")
            return View(fetch.token, fetched)
        value: Maybe[V] = MISSING
        if await self._is_current(envelope, fetched, tags):
            value = self._decoded(envelope)
        if value is not MISSING or fetched.found not in _TO_USE:
            return View(fetch.token, fetched, envelope, value)
        if not fetch.lease_ms:
            return View(fetch.token, replace(fetched, found=Found.MISSING))
        # As if it were not there: somebody is to load another.
        return await self._judged(replace(fetch, rejected=envelope.stamp), tags)

    async def _is_current(
        self, envelope: Envelope, fetched: Fetched, tags: tuple[str, ...]
    ) -> bool:
        """Whether neither the cache nor a tag was invalidated since the value was loaded."""
        if envelope.packed_tags == packed_tags(tags):
            return envelope.generations == fetched.generations
        try:
            own = envelope.tags
        except UndecodableError as error:
            return self._undecodable(error.problem)
        known = dict(zip((None, *tags), fetched.generations.split(), strict=True))
        others = [tag for tag in own if tag not in known]
        read = await self._asking.generations(
            [self.keys.generation(tag) for tag in others], self._rules.keep_ms
        )
        known |= zip(others, read, strict=True)
        return envelope.generations == b" ".join([known[tag] for tag in (None, *own)])

    def _decoded(self, envelope: Envelope) -> Maybe[V]:
        if envelope.codec != self._codec.mark:
            self._undecodable(f"it has the mark {envelope.codec} of another codec")
            return MISSING
        try:
            return self._codec.decode(envelope.payload)
        except UndecodableError as error:
            self._undecodable(error.problem)
        except Exception as error:  # noqa: BLE001 - whatever a codec raises, the value is of no use
            self._undecodable(type(error).__qualname__)
        return MISSING

    def _undecodable(self, problem: str) -> bool:
        self._emitter.emit(CacheUndecodable(cache=self._rules.name, problem=problem))
        return False
