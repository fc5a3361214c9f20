"""Many contend for permits, in several processes, in order, killed and cancelled."""

import asyncio
import random
import signal
from collections.abc import Iterable, Mapping
from functools import partial
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Final

import pytest
import redis
from tests.support.fleets import ValkeyCluster
from tests.support.nursery import Child, Nursery
from tests.support.servers import wait_until
from tests.support.turns import break_off, turns

from toril.connection import AsyncConnection
from toril.toolkit import AsyncRWLock, AsyncSemaphore

PROGRAM: Final = "tests.integration.toolkit.programs.holder"
KEY: Final = "toril:sm:{press}"

PERMITS: Final = 5
PROCESSES: Final = 4
TASKS: Final = 50
TTL_S: Final = 0.5
QUICK: Final = pytest.mark.timeout(60)
LONG: Final = (pytest.mark.long, pytest.mark.timeout(600))


@pytest.mark.parametrize("kills", [pytest.param(5, marks=QUICK), pytest.param(100, marks=LONG)])
def test_there_is_never_one_holder_too_many_and_every_permit_comes_back(
    redis_url: str, redis_client: redis.Redis, tmp_path: Path, kills: int
) -> None:
    dice = random.Random(7)
    journal = tmp_path / "journal"
    journal.touch()
    options = {
        "url": redis_url,
        "path": str(journal),
        "tasks": TASKS,
        "permits": PERMITS,
        "ttl": TTL_S,
    }
    killed_at: dict[int, float] = {}

    def kill(holder: Child) -> None:
        killed_at[holder.pid] = monotonic()
        holder.signal(signal.SIGKILL)
        holder.wait(10)

    def have_worked(since: int) -> bool:
        return journal.stat().st_size > since + 4_000

    with Nursery(tmp_path, [PROGRAM]) as nursery:
        names = (f"holder-{number}" for number in count())
        holders = [nursery.start(PROGRAM, options, name=next(names)) for _ in range(PROCESSES)]
        for _ in range(kills):
            wait_until(partial(have_worked, journal.stat().st_size), "they work", 20)
            kill(holders.pop(dice.randrange(PROCESSES)))
            holders.append(nursery.start(PROGRAM, options, name=next(names)))
        for holder in holders:
            kill(holder)

    assert most_at_once(journal.read_text().splitlines(), killed_at) == PERMITS
    wait_until(lambda: not live_holders(redis_client), "all permits are back", TTL_S + 0.2)


def most_at_once(lines: Iterable[str], killed_at: Mapping[int, float]) -> int:
    """How many were valid at once; one that did not end was until it was killed, at most."""
    begun: dict[str, float] = {}
    ended: dict[str, float] = {}
    for line in lines:
        pid, token, now, deadline = line.split()
        ended[token] = float(now) if token in begun else min(float(deadline), killed_at[int(pid)])
        begun.setdefault(token, float(now))
    changes = [(moment, 1) for moment in begun.values()]
    changes += [(moment, -1) for moment in ended.values()]
    held = most = 0
    for _, change in sorted(changes):
        held += change
        most = max(most, held)
    return most


def live_holders(client: redis.Redis) -> int:
    seconds, microseconds = client.time()
    return int(client.zcount(KEY, f"({seconds * 1_000_000 + microseconds}", "+inf"))


async def test_whoever_came_first_is_let_in_first(
    redis_url: str, redis_client: redis.Redis
) -> None:
    entered: list[int] = []
    async with AsyncConnection(redis_url) as connection:
        semaphore = AsyncSemaphore("press", connection, permits=1)

        async def enter(number: int) -> None:
            async with semaphore.hold():
                entered.append(number)

        async with asyncio.TaskGroup() as tasks, semaphore.hold():
            for number in range(20):
                tasks.create_task(enter(number))
                await asyncio.to_thread(
                    wait_until, partial(has_waiters, redis_client, number + 1), "it waits"
                )

    assert entered == list(range(20))


def has_waiters(client: redis.Redis, count: int) -> bool:
    return client.zcard(f"{KEY}:w") == count


async def test_a_permit_passes_on_within_milliseconds(redis_url: str) -> None:
    spans: list[float] = []
    async with AsyncConnection(redis_url) as connection:
        semaphore = AsyncSemaphore("press", connection, permits=2)
        released_at = 0.0

        async def enter() -> None:
            nonlocal released_at
            for _ in range(20):
                async with semaphore.hold():
                    if released_at:
                        spans.append(monotonic() - released_at)
                    await turns(3)
                    released_at = monotonic()

        await asyncio.gather(*(enter() for _ in range(8)))

    spans.sort()
    assert spans[len(spans) // 2] < 0.05, spans


@pytest.mark.parametrize("prefer", ["arrival", "writers", "readers"])
async def test_readers_and_writers_never_meet(redis_url: str, prefer: str) -> None:
    inside = {"readers": 0, "writers": 0}
    most = {"readers": 0, "writers": 0}
    async with AsyncConnection(redis_url) as connection:
        page = AsyncRWLock("page", connection, prefer=prefer)  # type: ignore[arg-type]

        async def visit(kind: str) -> None:
            for _ in range(5):
                async with page.read() if kind == "readers" else page.write() as lease:
                    inside[kind] += 1
                    most[kind] = max(most[kind], inside[kind])
                    assert not (inside["readers"] and inside["writers"])
                    await turns(3)
                    lease.check()
                    inside[kind] -= 1

        async with asyncio.TaskGroup() as tasks:
            for _ in range(8):
                tasks.create_task(visit("readers"))
            for _ in range(3):
                tasks.create_task(visit("writers"))
        assert (await page.info()).holders == 0

    assert most["writers"] == 1
    assert most["readers"] > 1


@pytest.mark.parametrize("verb", ["acquire", "hold", "wait"])
async def test_no_cancellation_leaves_a_permit_behind(
    redis_url: str, redis_client: redis.Redis, verb: str
) -> None:

    async def act(semaphore: AsyncSemaphore) -> None:
        if verb == "hold":
            async with semaphore.hold():
                await turns(1)
            return
        lease = await semaphore.acquire(1)
        if lease:
            await lease.release()

    def nothing_is_left() -> bool:
        return not redis_client.exists(KEY, f"{KEY}:w", f"{KEY}:a")

    async with AsyncConnection(redis_url) as connection:
        semaphore = AsyncSemaphore("press", connection, permits=1)
        async with semaphore.hold():
            pass
        for round_ in range(200):
            other = await semaphore.acquire() if verb == "wait" else None
            await break_off(act(semaphore), after=round_ % 20)
            if other:
                await other.release()
        await asyncio.to_thread(wait_until, nothing_is_left, "nothing is left", 1)


async def test_a_permit_passes_on_in_a_cluster(cluster: ValkeyCluster) -> None:
    semaphore = AsyncSemaphore("press", cluster.url, permits=1)
    lease = await semaphore.acquire()
    assert lease is not None
    waiting = asyncio.create_task(semaphore.acquire())
    while not (await semaphore.info()).waiting:
        await turns(1)
    await asyncio.wait([waiting], timeout=0.3)
    await lease.release()
    released_at = monotonic()

    next_one = await waiting
    assert next_one is not None
    assert monotonic() - released_at < 0.5
    await next_one.release()
    await semaphore.close()
