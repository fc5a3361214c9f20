"""Processes that read and change what a cache keeps, and remember who saw what when.

The truth is one number for each key on a server of its own, which nobody disturbs. A writer adds
one and invalidates the entry, until that has certainly happened; a reader asks the cache. Times
are those of the monotonic clock, which all processes of a machine share.

Each is a program of a nursery: it works until it is told to end (SIGTERM), and writes what it has
seen as JSON.
"""

import asyncio
import json
import random
import signal
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic
from typing import Any, Final

import redis

from toril.core.errors import TorilError
from toril.toolkit import AsyncCache, Cache, LocalLevel

NAME: Final = "users"

_TTL_S: Final = 60
_LONGEST_PAUSE_S: Final = 0.02
_READS_A_BREATH: Final = 20
_BREATH_S: Final = 0.002
"""So that on two cores the others get a turn, too."""


@dataclass
class Notes:
    """What one process has seen."""

    reads: int = 0
    loads: int = 0
    last_seen: dict[str, float] = field(default_factory=dict)
    """By key and version: when the last read of it began."""

    done: list[tuple[str, int, float]] = field(default_factory=list)
    """Key, version, and when its invalidation was certain."""

    errors: Counter[str] = field(default_factory=Counter)
    """What readers were not spared."""

    def saw(self, key: str, version: int, began: float) -> None:
        """A read gave this version."""
        self.reads += 1
        self.last_seen[f"{key} {version}"] = began


class Ending:
    """Whether it is time to end. A flag alone: a signal handler may wait for no lock."""

    def __init__(self) -> None:
        self.has_come = False
        signal.signal(signal.SIGTERM, self._come)

    def _come(self, *_: object) -> None:
        self.has_come = True


class Truth:
    """The number of each key."""

    def __init__(self, url: str) -> None:
        self._client: Final = redis.Redis.from_url(url)

    def version_of(self, key: str) -> int:
        """As it is now."""
        return int(self._client.get(key) or 0)

    def add_one(self, key: str) -> int:
        """What it is then."""
        return int(self._client.incr(key))


def read(options: Mapping[str, Any], notes: Notes, ending: Ending) -> None:
    """Ask for one key after the other."""
    truth, keys = Truth(options["truth"]), _keys(options)
    with Cache[int](NAME, options["cache"], ttl=_TTL_S, local=LocalLevel()) as cache:

        def load(key: str) -> int:
            notes.loads += 1
            return truth.version_of(key)

        while not ending.has_come:
            if notes.reads % _READS_A_BREATH == 0:
                time.sleep(_BREATH_S)
            key = keys()
            began = monotonic()
            try:
                version = cache.get_or_load(key, lambda key=key: load(key))
            except TorilError as error:
                notes.errors[type(error).__name__] += 1
            else:
                notes.saw(key, version, began)


async def read_on_a_loop(options: Mapping[str, Any], notes: Notes, ending: Ending) -> None:
    """Ask for several keys at a time."""
    truth, keys = Truth(options["truth"]), _keys(options)
    async with AsyncCache[int](NAME, options["cache"], ttl=_TTL_S, local=LocalLevel()) as cache:

        async def load(key: str) -> int:
            notes.loads += 1
            return truth.version_of(key)

        async def ask() -> None:
            while not ending.has_come:
                key = keys()
                began = monotonic()
                try:
                    version = await cache.get_or_load(key, lambda key=key: load(key))
                except TorilError as error:
                    notes.errors[type(error).__name__] += 1
                else:
                    notes.saw(key, version, began)
                await asyncio.sleep(_BREATH_S if notes.reads % _READS_A_BREATH == 0 else 0)

        await asyncio.gather(*(ask() for _ in range(4)))


def write(options: Mapping[str, Any], notes: Notes, ending: Ending) -> None:
    """Change one key after the other."""
    truth, keys, pauses = Truth(options["truth"]), _keys(options), random.Random(options["seed"])
    with Cache[int](NAME, options["cache"], ttl=_TTL_S, on_error="raise") as cache:
        while not ending.has_come:
            time.sleep(pauses.uniform(0, _LONGEST_PAUSE_S))
            key = keys()
            version = truth.add_one(key)
            while not _is_invalidated(cache, key):
                pass
            notes.done.append((key, version, monotonic()))


def _is_invalidated(cache: Cache[int], key: str) -> bool:
    try:
        cache.invalidate(key)
    except TorilError:
        return False
    return True


def _keys(options: Mapping[str, Any]) -> Callable[[], str]:
    """One of a hundred, some more often than others."""
    chance = random.Random(options["seed"])
    return lambda: f"{int(100 * chance.random() ** 2)}"


def main(options: Mapping[str, Any]) -> int:
    """Play the role until it is time to end."""
    notes, ending = Notes(), Ending()
    match options["role"]:
        case "reader":
            read(options, notes, ending)
        case "async reader":
            asyncio.run(read_on_a_loop(options, notes, ending))
        case _:
            write(options, notes, ending)
    Path(options["notes"]).write_text(json.dumps(vars(notes)), "utf-8")
    return 0
