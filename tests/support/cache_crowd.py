"""Processes that use one cache at the same time, and say what they do.

The truth is one number for each key, `truth:<key>`, on the server of the cache; a change adds one.
A program forks one process for each role it is given; what they say comes out as lines of JSON.

    with Crowd([{"role": "callers", "url": url}]) as crowd:
        crowd.next("done")
"""

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import monotonic, sleep
from typing import Any, Final, Self

import redis

from toril.toolkit import AsyncCache, Cache

NAME: Final = "truth"

Options = Mapping[str, Any]


class Crowd:
    """What its processes say, one thing after the other; with it they all end."""

    def __init__(self, roles: Sequence[Options]) -> None:
        self._roles: Final = roles

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.support.cache_crowd", json.dumps(self._roles)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self.pids: Sequence[int] = self.next("started")["pids"]
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin
        assert self._process.stdout
        # The program kills what is left when its input ends.
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def next(self, what: str) -> dict[str, Any]:
        """The next one to say this."""
        assert self._process.stdout
        for line in self._process.stdout:
            said: dict[str, Any] = json.loads(line)
            if said["what"] == what:
                return said
            assert said["what"] != "failed", said
        raise AssertionError(f"nobody said {what!r} any more")

    def kill(self, index: int) -> None:
        """As a power cut would."""
        os.kill(self.pids[index], signal.SIGKILL)


def say(what: str, **more: object) -> None:
    """One line, which nobody interrupts."""
    os.write(1, json.dumps({"what": what, "pid": os.getpid(), **more}).encode() + b"\n")


def truth(client: redis.Redis, key: str) -> int:
    """The number of a key."""
    return int(client.get(f"truth:{key}") or 0)


async def _callers(options: Options) -> None:
    """Many tasks want what is missing."""
    client = redis.Redis.from_url(options["url"])

    async def load() -> int:
        client.incr("loads")
        await asyncio.sleep(options["compute_s"])
        return 7

    async def call(cache: AsyncCache[int]) -> float:
        started = monotonic()
        assert await cache.get_or_load("one", load) == 7
        return monotonic() - started

    async with AsyncCache[int](
        NAME, options["url"], ttl=60, lease=options["lease_s"], timeout=20
    ) as cache:
        took = await asyncio.gather(*(call(cache) for _ in range(options["callers"])))
    say("done", slowest_s=max(took))


def _threads(options: Options) -> None:
    """Many threads want what is missing."""
    client = redis.Redis.from_url(options["url"])

    def load() -> int:
        client.incr("loads")
        sleep(options["compute_s"])
        return 7

    def call(cache: Cache[int]) -> float:
        started = monotonic()
        assert cache.get_or_load("one", load) == 7
        return monotonic() - started

    count = options["callers"]
    with (
        Cache[int](NAME, options["url"], ttl=60, lease=options["lease_s"], timeout=20) as cache,
        ThreadPoolExecutor(count) as threads,
    ):
        took = list(threads.map(call, [cache] * count))
    say("done", slowest_s=max(took))


def _stuck(options: Options) -> None:
    """A loader that does not end."""

    def load() -> int:
        say("loading")
        threading.Event().wait()
        return 0

    with Cache[int](NAME, options["url"], ttl=60, lease=options["lease_s"], timeout=20) as cache:
        cache.get_or_load("one", load)


def _dying_writer(options: Options) -> None:
    """Dies between the change and the end of it."""
    client = redis.Redis.from_url(options["url"])

    def change() -> int:
        client.incr("truth:one")
        os.kill(os.getpid(), signal.SIGKILL)
        return 0

    with Cache[int](NAME, options["url"], ttl=60, lease=options["lease_s"], timeout=20) as cache:
        cache.write("one", change)


async def _movers(options: Options) -> None:
    """Tasks that read and change, in rounds; between two rounds nobody does anything."""
    url, dice = options["url"], random.Random(options["seed"])
    client = redis.Redis.from_url(url, socket_timeout=None)
    async with AsyncCache[int](NAME, url, ttl=60, timeout=20) as cache:
        for _ in range(options["rounds"]):
            movers = [Mover(cache, client, dice, options) for _ in range(4)]
            await asyncio.gather(*(mover.move() for mover in movers))
            client.incr("arrived")
            client.blpop([f"go:{options['who']}"])
    say("done")


class Mover:
    """Reads and changes one entry in every way there is, one after the other."""

    def __init__(
        self, cache: AsyncCache[int], client: redis.Redis, dice: random.Random, options: Options
    ) -> None:
        self._cache: Final = cache
        self._client: Final = client
        self._dice: Final = dice
        self._moves: Final = options["moves"]
        self._ways = [self._write, self._change_in_scope, self._change_and_invalidate]
        self._ways += [self._read, self._read]
        if options["versions"]:
            self._ways += [self._write_version] * 3
        self._key: Final = f"k{dice.randrange(options['keys'])}"

    async def move(self) -> None:
        for _ in range(self._moves):
            await self._dice.choice(self._ways)()

    async def _pause(self) -> None:
        await asyncio.sleep(self._dice.choice((0, 0, 0.001, 0.005)))

    async def _load(self) -> int:
        await self._pause()
        seen = truth(self._client, self._key)
        await self._pause()
        return seen

    async def _change(self) -> int:
        await self._pause()
        seen = int(self._client.incr(f"truth:{self._key}"))
        await self._pause()
        return seen

    async def _read(self) -> None:
        await self._cache.get_or_load(self._key, self._load)

    async def _write(self) -> None:
        await self._cache.write(self._key, self._change)

    async def _write_version(self) -> None:
        await self._cache.write(self._key, self._change, version=lambda value: value)

    async def _change_in_scope(self) -> None:
        async with self._cache.invalidating(self._key):
            await self._change()

    async def _change_and_invalidate(self) -> None:
        await self._change()
        await self._cache.invalidate(self._key)


_ROLES: Final[Mapping[str, Callable[[Options], Any]]] = {
    "callers": _callers,
    "threads": _threads,
    "stuck": _stuck,
    "dying writer": _dying_writer,
    "movers": _movers,
}


def _be(options: Options) -> None:
    code = 1
    try:
        playing = _ROLES[options["role"]](options)
        if playing is not None:
            asyncio.run(playing)
        code = 0
    except BaseException as error:  # noqa: BLE001 - the program's end, whatever it is
        say("failed", error=repr(error))
    finally:
        os._exit(code)


def main(roles: Sequence[Options]) -> None:
    """Fork them, and kill what is left of them in the end."""
    pids: list[int] = []
    for options in roles:
        pid = os.fork()
        if not pid:
            _be(options)
        pids.append(pid)
    say("started", pids=pids)
    sys.stdin.read()
    for pid in pids:
        os.kill(pid, signal.SIGKILL)  # not waited for yet, so the id is still its own
        os.waitpid(pid, 0)


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
