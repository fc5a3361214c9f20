"""Who uses the patterns of the toolkit in a soak: a round at a time, for the laws to watch."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from time import monotonic
from typing import Final, TypeAlias

from tests.support.soak.laws import Grants, Room, Runs, Truth

from toril.toolkit import (
    AsyncCache,
    AsyncLease,
    AsyncOnce,
    AsyncRateLimiter,
    Cache,
    Lease,
    Limit,
    RateLimiter,
)

Round: TypeAlias = Callable[[], Awaitable[None]]
BlockingRound: TypeAlias = Callable[[], None]

TAG: Final = "all"
KEYS: Final = ("a", "b", "c", "d")


def pause_s(dice: random.Random) -> float:
    """Mostly short; now and then long enough for a lease to be renewed."""
    return dice.choice((0, 0.001, 0.01)) if dice.random() < 0.98 else 1.5


def holding(
    room: Room,
    hold: Callable[[], AbstractAsyncContextManager[AsyncLease]],
    dice: random.Random,
    weight: int = 1,
) -> Round:
    """Visit a room under a lease."""

    async def visit() -> None:
        async with hold() as lease:
            with room.visit(lease, weight):
                await asyncio.sleep(pause_s(dice))

    return visit


def holding_in_a_thread(
    room: Room, hold: Callable[[], AbstractContextManager[Lease]], dice: random.Random
) -> BlockingRound:
    """As `holding`."""

    def visit() -> None:
        with hold() as lease, room.visit(lease):
            time.sleep(pause_s(dice))

    return visit


def asking(
    limiters: Mapping[Limit, AsyncRateLimiter], grants: Grants, dice: random.Random
) -> Round:
    """Ask one of the limiters, or wait for it."""

    async def ask() -> None:
        limit, limiter = dice.choice(list(limiters.items()))
        if dice.random() < 0.3:
            grants.note(limit, await limiter.acquire("k", timeout=0.2))
        else:
            grants.note(limit, await limiter.hit("k", dice.randint(1, 3)))

    return ask


def asking_in_a_thread(
    limiters: Mapping[Limit, RateLimiter], grants: Grants, dice: random.Random
) -> BlockingRound:
    """As `asking`."""

    def ask() -> None:
        limit, limiter = dice.choice(list(limiters.items()))
        grants.note(limit, limiter.hit("k"))

    return ask


def running(once: AsyncOnce, runs: Runs, dice: random.Random) -> Round:
    """Want something to be run once."""

    async def run() -> None:
        key, spans = dice.choice(KEYS), []

        async def work() -> None:
            began = monotonic()
            await asyncio.sleep(pause_s(dice))
            spans.append((began, monotonic()))

        await once.run(key, work)
        for began, ended in spans:
            runs.note(key, began, ended)

    return run


def reading(cache: AsyncCache[int], truth: Truth, dice: random.Random) -> Round:
    """Read what is cached, or load it, which takes a while."""

    async def read() -> None:
        key = dice.choice(KEYS)

        async def load() -> int:
            version = truth.version_of(key)
            await asyncio.sleep(pause_s(dice))
            return version

        began = monotonic()
        truth.saw(key, await cache.get_or_load(key, load, tags=[TAG]), began)

    return read


def reading_in_a_thread(cache: Cache[int], truth: Truth, dice: random.Random) -> BlockingRound:
    """As `reading`."""

    def read() -> None:
        key = dice.choice(KEYS)

        def load() -> int:
            version = truth.version_of(key)
            time.sleep(pause_s(dice))
            return version

        began = monotonic()
        truth.saw(key, cache.get_or_load(key, load, tags=[TAG]), began)

    return read


class Changing:
    """Changes what is cached, in every way there is; nobody else changes it."""

    def __init__(self, cache: AsyncCache[int], truth: Truth, dice: random.Random) -> None:
        self._cache: Final = cache
        self._truth: Final = truth
        self._dice: Final = dice
        self._ways: Final = (
            self._invalidate,
            self._set,
            self._write,
            self._in_scope,
            self._invalidate_tag,
        )

    async def __call__(self) -> None:
        """Make a change."""
        await self._dice.choice(self._ways)(self._dice.choice(KEYS))

    async def _invalidate(self, key: str) -> None:
        version = self._truth.change(key)
        await self._cache.invalidate(key)
        self._truth.is_certain(key, version)

    async def _set(self, key: str) -> None:
        version = self._truth.change(key)
        if await self._cache.set(key, version, tags=[TAG]):
            self._truth.is_certain(key, version)

    async def _write(self, key: str) -> None:
        async def change() -> int:
            return self._truth.change(key)

        self._truth.is_certain(key, await self._cache.write(key, change, tags=[TAG]))

    async def _in_scope(self, key: str) -> None:
        async with self._cache.invalidating(key):
            version = self._truth.change(key)
            await asyncio.sleep(pause_s(self._dice))
        self._truth.is_certain(key, version)

    async def _invalidate_tag(self, _: str) -> None:
        versions = {key: self._truth.change(key) for key in KEYS}
        await self._cache.invalidate_tag(TAG)
        for key, version in versions.items():
            self._truth.is_certain(key, version)
