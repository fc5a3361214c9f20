"""Whoever waits for a lock is woken, in turn, and never for nothing for long."""

import asyncio
from itertools import pairwise
from time import monotonic

import pytest
import redis
from redis.exceptions import RedisError
from tests.support.fleets import ValkeyCluster
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer, wait_until
from tests.support.turns import turns

from toril.connection import AsyncConnection
from toril.core.errors import ClosedError
from toril.toolkit import AsyncLease, AsyncLock

W = "toril:lk:{a}:w"

quick_and_long = pytest.mark.parametrize(
    ("waiters", "rounds"),
    [(8, 3), pytest.param(20, 50, marks=(pytest.mark.long, pytest.mark.timeout(240)))],
)


async def held(lock: AsyncLock, wait: float | None = 0) -> AsyncLease:
    lease = await lock.acquire(wait)
    assert lease is not None
    return lease


async def until(condition: object, what: str) -> None:
    assert callable(condition)
    await asyncio.to_thread(wait_until, condition, what)


async def test_a_release_wakes_the_one_that_waits(every_server: ValkeyServer) -> None:
    async with AsyncConnection(every_server.url) as connection:
        lock = AsyncLock("a", connection)
        spans = []
        with every_server.client() as client:
            for _ in range(10):
                lease = await held(lock)
                waiting = asyncio.create_task(held(lock, None))
                await until(lambda: client.pubsub_numsub(W)[0][1], "somebody listens")
                await until(lambda: client.zcard(W), "somebody waits")
                began = monotonic()
                await lease.release()
                lease = await waiting
                spans.append(monotonic() - began)
                await lease.release()

    assert sorted(spans)[5] < 0.05, spans


async def test_a_release_wakes_the_one_that_waits_on_a_cluster(cluster: ValkeyCluster) -> None:
    async with AsyncConnection(cluster.url) as connection:
        for name in ("a", "b", "c", "d"):
            lock = AsyncLock(name, connection)
            lease = await held(lock)
            waiting = asyncio.create_task(held(lock, None))
            await until(lambda name=name: _listeners(cluster, name) == 1, "somebody listens")
            began = monotonic()
            await lease.release()
            lease = await waiting
            assert monotonic() - began < 0.5
            await lease.release()


def _listeners(cluster: ValkeyCluster, name: str) -> int:
    channel = f"toril:lk:{{{name}}}:w"
    counts = []
    for node in cluster.nodes:
        with node.client() as client:
            try:
                counts.append(client.pubsub_shardnumsub(channel)[0][1])
            except RedisError:
                counts.append(0)
    return sum(counts)


@quick_and_long
async def test_a_fair_lock_goes_by_arrival(
    redis_url: str, redis_client: redis.Redis, waiters: int, rounds: int
) -> None:
    async with AsyncConnection(redis_url) as connection:
        lock = AsyncLock("a", connection, fair=True)
        for _ in range(rounds):
            order: list[int] = []

            async def take(number: int, order: list[int] = order) -> None:
                async with lock.hold():
                    order.append(number)

            lease = await held(lock)
            tasks = []
            for number in range(waiters):
                tasks.append(asyncio.create_task(take(number)))
                await until(lambda n=number: redis_client.zcard(W) == n + 1, "it is in line")
            await lease.release()
            await asyncio.gather(*tasks)

            assert order == list(range(waiters))


@quick_and_long
async def test_nobody_starves_at_a_lock_that_is_not_fair(
    redis_url: str, waiters: int, rounds: int
) -> None:
    longest_s = 0.0
    async with AsyncConnection(redis_url) as connection:
        lock = AsyncLock("a", connection)

        async def take() -> None:
            nonlocal longest_s
            for _ in range(rounds):
                began = monotonic()
                async with lock.hold():
                    longest_s = max(longest_s, monotonic() - began)
                    await turns(2)

        await asyncio.gather(*(take() for _ in range(waiters)))

    assert longest_s < 5


async def test_a_fair_lock_that_is_free_is_not_for_whoever_comes_by(
    redis_url: str, redis_client: redis.Redis
) -> None:
    redis_client.zadd(W, {"pwaiter": 1})
    redis_client.zadd("toril:lk:{a}:s", {"pwaiter": 2**52})
    lock = AsyncLock("a", redis_url, fair=True)

    assert await lock.acquire(wait=0) is None
    await lock.close()


async def test_one_that_died_in_line_is_passed_over(
    redis_url: str, redis_client: redis.Redis
) -> None:
    seconds, micros = redis_client.time()
    now = seconds * 1_000_000 + micros
    redis_client.zadd(W, {"pdead": now - 1})
    redis_client.zadd("toril:lk:{a}:s", {"pdead": now + 500_000})
    lock = AsyncLock("a", redis_url, fair=True)

    began = monotonic()
    lease = await held(lock, 5)
    assert 0.3 < monotonic() - began < 2
    await lease.release()
    await lock.close()


async def test_whoever_comes_and_goes_quickly_starves_nobody(redis_url: str) -> None:
    async with AsyncConnection(redis_url) as connection:
        lock = AsyncLock("a", connection)
        ends = asyncio.Event()

        async def come_and_go() -> None:
            while not ends.is_set():
                async with lock.hold():
                    pass

        greedy = [asyncio.create_task(come_and_go()) for _ in range(4)]
        began = monotonic()
        async with AsyncConnection(redis_url) as elsewhere:
            for _ in range(3):
                async with AsyncLock("a", elsewhere).hold(wait=5):
                    pass
        assert monotonic() - began < 9
        ends.set()
        await asyncio.gather(*greedy)


async def test_a_line_that_is_cut_costs_a_second_at_most(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    near, far = AsyncLock("a", proxy.url), AsyncLock("a", proxy.url)
    lease = await held(near)
    waiting = asyncio.create_task(held(far, None))
    await until(lambda: redis_client.pubsub_numsub(W)[0][1], "somebody listens")
    proxy.drop_all()
    began = monotonic()
    await lease.release()
    again = await waiting

    assert monotonic() - began < 1.5
    await again.release()
    await near.close()
    await far.close()


async def test_a_wake_up_that_comes_to_nobody_costs_a_second_at_most(
    redis_url: str, redis_client: redis.Redis
) -> None:
    lock = AsyncLock("a", redis_url)
    lease = await held(lock)
    first = asyncio.create_task(held(lock, None))
    await until(lambda: redis_client.zcard(W) == 1, "the first is in line")
    second = asyncio.create_task(held(lock, None))
    await until(lambda: redis_client.zcard(W) == 2, "the second is in line")
    first.cancel()
    began = monotonic()
    await lease.release()
    last = await second

    assert monotonic() - began < 1.5
    await last.release()
    await lock.close()


@pytest.mark.parametrize("fair", [False, True])
async def test_many_wait_and_all_get_it(redis_url: str, *, fair: bool) -> None:
    turns: list[float] = []
    async with AsyncConnection(redis_url) as connection:

        async def take() -> None:
            async with AsyncLock("a", connection, fair=fair).hold() as lease:
                turns.append(monotonic())
                lease.check()

        await asyncio.gather(*(take() for _ in range(60)))

    gaps = sorted(after - before for before, after in pairwise(turns))
    assert len(turns) == 60
    assert gaps[len(gaps) // 2] < 0.05


async def test_whoever_waits_for_a_lock_that_is_closed_leaves_its_line(
    redis_url: str, redis_client: redis.Redis
) -> None:
    holder, lock = AsyncLock("a", redis_url), AsyncLock("a", redis_url)
    async with holder.hold():
        waiting = asyncio.create_task(lock.acquire())
        await until(lambda: redis_client.zcard(W), "somebody waits")
        await lock.close()
        with pytest.raises(ClosedError):
            await waiting

        await until(lambda: not redis_client.exists(W), "the line is empty")
    await holder.close()
