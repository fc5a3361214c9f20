"""Processes that read and change what a cache keeps, and remember who saw what when.

The truth is one number for each key on a server of its own, which nobody disturbs. A writer adds
one and invalidates the entry, until that has certainly happened; a reader asks the cache. Times
are those of the monotonic clock, which all processes of a machine share.

    python -m tests.support.cache_actors '[{"role": "reader", "notes": "1.json", ...}, …]'

Each is a fork of this process. It prints their ids; they work until its standard input ends, and
write what they have seen as JSON.
"""

import asyncio
import json
import os
import random
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
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

    def saw(self, key: str, version: int, began: float) -> None:
        """A read gave this version."""
        self.reads += 1
        self.last_seen[f"{key} {version}"] = began


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


def read(options: Mapping[str, Any], notes: Notes, ended: threading.Event) -> None:
    """Ask for one key after the other."""
    truth, keys = Truth(options["truth"]), _keys(options)
    with Cache[int](NAME, options["cache"], ttl=_TTL_S, local=LocalLevel()) as cache:

        def load(key: str) -> int:
            notes.loads += 1
            return truth.version_of(key)

        while not ended.wait(_BREATH_S if notes.reads % _READS_A_BREATH == 0 else 0):
            key = keys()
            began = monotonic()
            try:
                version = cache.get_or_load(key, lambda key=key: load(key))
            except TorilError as error:
                notes.errors[type(error).__name__] += 1
            else:
                notes.saw(key, version, began)


async def read_on_a_loop(options: Mapping[str, Any], notes: Notes, ended: threading.Event) -> None:
    """Ask for several keys at a time."""
    truth, keys = Truth(options["truth"]), _keys(options)
    async with AsyncCache[int](NAME, options["cache"], ttl=_TTL_S, local=LocalLevel()) as cache:

        async def load(key: str) -> int:
            notes.loads += 1
            return truth.version_of(key)

        async def ask() -> None:
            while not ended.is_set():
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


def write(options: Mapping[str, Any], notes: Notes, ended: threading.Event) -> None:
    """Change one key after the other."""
    truth, keys, pauses = Truth(options["truth"]), _keys(options), random.Random(options["seed"])
    with Cache[int](NAME, options["cache"], ttl=_TTL_S, on_error="raise") as cache:
        while not ended.wait(pauses.uniform(0, _LONGEST_PAUSE_S)):
            key = keys()
            version = truth.add_one(key)
            while not _is_invalidated(cache, key, notes):
                pass
            notes.done.append((key, version, monotonic()))


def _is_invalidated(cache: Cache[int], key: str, notes: Notes) -> bool:
    try:
        cache.invalidate(key)
    except TorilError as error:
        notes.errors[type(error).__name__] += 1
        return False
    return True


def _keys(options: Mapping[str, Any]) -> Callable[[], str]:
    """One of a hundred, some more often than others."""
    chance = random.Random(options["seed"])
    return lambda: f"{int(100 * chance.random() ** 2)}"


def main(parts: Sequence[Mapping[str, Any]]) -> int:
    """Start the actors, and wait for them; 0 when all came to their ends."""
    pids = [_fork(part) for part in parts]
    sys.stdout.write(json.dumps(pids) + "\n")
    sys.stdout.flush()
    return sum(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0 for pid in pids)


def _fork(part: Mapping[str, Any]) -> int:
    if pid := os.fork():
        return pid
    code = 1
    try:
        _act(part)
        code = 0
    finally:
        os._exit(code)


def _act(part: Mapping[str, Any]) -> None:
    """Play the role until standard input ends."""
    notes, ended = Notes(), threading.Event()

    def wait_for_the_end() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait_for_the_end, daemon=True).start()
    match part["role"]:
        case "reader":
            read(part, notes, ended)
        case "async reader":
            asyncio.run(read_on_a_loop(part, notes, ended))
        case _:
            write(part, notes, ended)
    Path(part["notes"]).write_text(json.dumps(asdict(notes)), "utf-8")


if __name__ == "__main__":
    sys.exit(main(json.loads(sys.argv[1])))
