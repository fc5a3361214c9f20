"""Breaking off a call at any moment leaves no lock behind, and a lost lock breaks off its block."""

import asyncio
import random
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from time import monotonic

import pytest
import redis
from tests.support.proxy import Proxy
from tests.support.servers import wait_until

from toril.connection import AsyncConnection
from toril.core.errors import WrongLoopError
from toril.toolkit import AsyncLock, AsyncMultiLock, LeaseLostError

KEY = "toril:lk:{a}"
ROUNDS = 200


def leaves_nothing(client: redis.Redis) -> bool:
    return not client.exists(KEY) and not client.exists(f"{KEY}:w")


async def steps(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)  # noqa: TID251 - one turn of the loop


@pytest.mark.parametrize("verb", ["acquire", "hold", "wait", "release"])
async def test_no_cancellation_leaves_anything_behind(
    redis_url: str, redis_client: redis.Redis, verb: str
) -> None:
    dice = random.Random(7)

    async def act(lock: AsyncLock) -> None:
        if verb == "hold":
            async with lock.hold():
                await steps(3)
            return
        lease = await lock.acquire(wait=1)
        if lease:
            await lease.release()

    async with AsyncConnection(redis_url) as connection:
        lock = AsyncLock("a", connection)
        async with lock.hold():
            pass
        for round_ in range(ROUNDS):
            others = await lock.acquire() if verb == "wait" else None
            task = asyncio.create_task(act(lock))
            await steps(round_ % 20)
            if dice.random() < 0.5:
                await asyncio.wait([task], timeout=dice.random() / 1_000)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            if others:
                await others.release()
        await asyncio.to_thread(
            wait_until, lambda: leaves_nothing(redis_client), "nothing is left", 1
        )


async def test_cancelling_while_the_answer_is_on_its_way_leaves_nothing_behind(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = AsyncLock("a", proxy.url)
    await lock.info()
    proxy.hold()
    task = asyncio.create_task(lock.acquire())
    await steps(20)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    proxy.speak()

    def is_settled() -> bool:
        return bool(redis_client.exists(f"{KEY}:x")) and leaves_nothing(redis_client)

    await asyncio.to_thread(wait_until, is_settled, "the token is given up", 2)
    await lock.close()


async def test_a_block_is_cancelled_when_its_lock_is_lost(
    redis_url: str, redis_client: redis.Redis
) -> None:
    lock = AsyncLock("a", redis_url, ttl=0.3)
    began = monotonic()

    async def work() -> None:
        async with lock.hold():
            redis_client.delete(KEY)
            await asyncio.Event().wait()

    with pytest.raises(LeaseLostError) as caught:
        await work()

    assert monotonic() - began < 0.3
    assert isinstance(caught.value.__cause__, asyncio.CancelledError)
    task = asyncio.current_task()
    assert task is not None
    assert not task.cancelling()
    await lock.close()


async def test_a_block_that_goes_on_all_the_same_is_left_by_the_error(
    redis_url: str, redis_client: redis.Redis
) -> None:
    lock = AsyncLock("a", redis_url, ttl=0.2)

    async def insist() -> None:
        async with lock.hold():
            redis_client.delete(KEY)
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()

    with pytest.raises(LeaseLostError):
        await insist()
    await steps(3)
    await lock.close()


async def test_a_cancellation_from_outside_stays_one(
    redis_url: str, redis_client: redis.Redis
) -> None:
    lock = AsyncLock("a", redis_url)
    inside = asyncio.Event()

    async def work() -> None:
        async with lock.hold():
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert leaves_nothing(redis_client)
    await lock.close()


async def test_a_timeout_around_a_block_is_not_taken_for_a_loss(redis_url: str) -> None:
    lock = AsyncLock("a", redis_url)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05), lock.hold():
            await asyncio.Event().wait()

    assert await lock.info() is None
    await lock.close()


async def test_a_lock_is_refused_in_another_loop(redis_url: str) -> None:
    lock = AsyncLock("a", redis_url)
    await lock.info()

    def elsewhere() -> None:
        asyncio.run(lock.acquire())

    with ThreadPoolExecutor() as threads, pytest.raises(WrongLoopError):
        await asyncio.wrap_future(threads.submit(elsewhere))
    await lock.close()


async def test_a_lease_that_nobody_keeps_ends_by_itself(
    redis_url: str, redis_client: redis.Redis
) -> None:
    lock = AsyncLock("a", redis_url, ttl=0.2)
    await lock.acquire()

    await asyncio.to_thread(wait_until, lambda: leaves_nothing(redis_client), "it ends", 1)
    await lock.close()


async def test_a_release_of_many_that_is_broken_off_frees_all_of_them(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncConnection(redis_url) as connection:
        locks = AsyncMultiLock(["a", "b", "c", "d"], connection)
        for count in range(30):
            lease = await locks.acquire()
            assert lease is not None
            task = asyncio.create_task(lease.release())
            await steps(count)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
            if count == 0:  # it has not begun
                await lease.release()
            wait_until(lambda: not redis_client.keys("toril:lk:{?}"), "all of them are free", 5)
