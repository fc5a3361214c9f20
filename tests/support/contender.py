"""The program of a contender: `contender.py URL VERB SETTINGS`.

count   many tasks add one to the number in a file, again and again, under the lock
hold    hold the lock, say so, wait for a word, say how it went
release as above, but let it go at the word, and say when that was
"""

import asyncio
import json
import sys
import time
from pathlib import Path
from typing import Any

from toril.toolkit import AsyncLease, AsyncLock, LeaseLostError, Lock


def say(**what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


class Tally:
    """A number in a file, and a mark that somebody is at it."""

    def __init__(self, path: str) -> None:
        self._number = Path(path)
        self._mark = Path(f"{path}.held")
        self._read = 0
        self.overlaps = 0

    def begin(self) -> None:
        self.overlaps += self._mark.exists()
        self._mark.touch()
        self._read = int(self._number.read_text())

    def end(self) -> None:
        self._number.write_text(str(self._read + 1))
        self._mark.unlink(missing_ok=True)


async def count(url: str, path: str, tasks: int, rounds: int) -> None:
    tally, lock = Tally(path), AsyncLock("count", url)

    async def add() -> None:
        for _ in range(rounds):
            async with lock.hold() as lease:
                tally.begin()
                await asyncio.sleep(0)
                tally.end()
                lease.check()

    await asyncio.gather(*(add() for _ in range(tasks)))
    await lock.close()
    say(overlaps=tally.overlaps)


def hold(url: str, ttl: float) -> None:
    told_at: list[float] = []
    lock = Lock("held", url, ttl=ttl, on_lost=lambda _: told_at.append(time.monotonic()))
    while True:
        lease = lock.acquire()
        assert lease is not None
        say(fence=lease.fence)
        sys.stdin.readline()
        resumed = time.monotonic()
        lease.lost.wait(5)
        try:
            lease.check()
        except LeaseLostError as error:
            say(lost=type(error).__name__, told_after=(told_at or [resumed])[-1] - resumed)
        else:
            say(lost=None)
        lease.release()


async def release(url: str) -> None:
    lock = AsyncLock("release", url, fair=True)
    while True:
        lease = await lock.acquire()
        assert isinstance(lease, AsyncLease)
        say(held_at=time.monotonic())
        await asyncio.to_thread(sys.stdin.readline)
        before = time.monotonic()
        await lease.release()
        say(released_at=before)


def main() -> None:
    url, verb, settings = sys.argv[1:]
    given: dict[str, Any] = json.loads(settings)
    match verb:
        case "count":
            asyncio.run(count(url, **given))
        case "hold":
            hold(url, **given)
        case _:
            asyncio.run(release(url))


if __name__ == "__main__":
    main()
