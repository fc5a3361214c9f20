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

from toril.toolkit import AsyncLease, AsyncLock, Lock


def say(**what: object) -> None:
    print(json.dumps(what), flush=True)


async def count(url: str, path: str, tasks: int, rounds: int) -> None:
    number, flag, overlaps = Path(path), Path(f"{path}.held"), 0
    lock = AsyncLock("count", url)

    async def add() -> None:
        nonlocal overlaps
        for _ in range(rounds):
            async with lock.hold() as lease:
                overlaps += flag.exists()
                flag.touch()
                before = int(number.read_text() or 0)
                await asyncio.sleep(0)
                number.write_text(str(before + 1))
                flag.unlink(missing_ok=True)
                lease.check()

    await asyncio.gather(*(add() for _ in range(tasks)))
    await lock.close()
    say(overlaps=overlaps)


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
        except Exception as error:
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
        case "release":
            asyncio.run(release(url))


if __name__ == "__main__":
    main()
