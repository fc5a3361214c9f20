"""Locks as subjects of the benchmarks: `locks.py toril`, `redis` or `pottery`."""

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final, TypeAlias

Alone: TypeAlias = Callable[[], object]
Turn: TypeAlias = Callable[[], Awaitable[object]]

NAME: Final = "bench"
TASKS: Final = 10
BODY_S: Final = 0.001


def toril_alone(url: str) -> Alone:
    from toril.toolkit import Lock

    lock = Lock(NAME, url)

    def call() -> None:
        lease = lock.acquire()
        assert lease
        lease.release()

    return call


def redis_alone(url: str) -> Alone:
    from redis import Redis

    client = Redis.from_url(url)

    def call() -> None:
        lock = client.lock(NAME, timeout=30)
        lock.acquire()
        lock.release()

    return call


def pottery_alone(url: str) -> Alone:
    from pottery import Redlock
    from redis import Redis

    masters = {Redis.from_url(url)}

    def call() -> None:
        lock = Redlock(key=NAME, masters=masters, auto_release_time=30)
        lock.acquire()
        lock.release()

    return call


def toril_turn(url: str) -> Turn:
    from toril.toolkit import AsyncLock

    lock = AsyncLock(NAME, url)

    async def turn() -> None:
        async with lock.hold():
            await asyncio.sleep(BODY_S)

    return turn


def redis_turn(url: str) -> Turn:
    from redis.asyncio import Redis

    client = Redis.from_url(url)

    async def turn() -> None:
        async with client.lock(NAME, timeout=30):
            await asyncio.sleep(BODY_S)

    return turn


ALONE: Final = {"toril": toril_alone, "redis": redis_alone, "pottery": pottery_alone}
TURNS: Final = {"toril": toril_turn, "redis": redis_turn}


def measure(who: str, request: Mapping[str, Any]) -> dict[str, float]:
    """Warm up, then so many more."""
    url, warm, count = f"redis://127.0.0.1:{request['port']}", request["warm"], request["count"]
    if request["verb"] == "turns":
        return asyncio.run(take_turns(TURNS[who], url, count))
    call = ALONE[who](url)
    for _ in range(warm):
        call()
    began = time.perf_counter()
    for _ in range(count):
        call()
    return {"seconds": time.perf_counter() - began, "held": count}


async def take_turns(make: Callable[[str], Turn], url: str, rounds: int) -> dict[str, float]:
    """In each round all begin at once, and each holds it once."""
    turn = make(url)
    await asyncio.gather(*(turn() for _ in range(TASKS)))
    began = time.perf_counter()
    for _ in range(rounds):
        await asyncio.gather(*(turn() for _ in range(TASKS)))
    return {"seconds": time.perf_counter() - began, "held": rounds * TASKS}


def serve(who: str) -> None:
    """Answer requests until there are no more."""
    for line in sys.stdin:
        try:
            answer: dict[str, object] = {"value": measure(who, json.loads(line))}
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            answer = {"error": repr(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve(sys.argv[1])
