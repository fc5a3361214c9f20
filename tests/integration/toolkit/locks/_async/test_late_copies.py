"""A request that was sent again, and whose first copy comes late, takes nothing for nobody."""

import pytest
import redis
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule
from tests.support.servers import wait_until

from toril.core.script import Script
from toril.toolkit import AsyncLock, AsyncMultiLock, AsyncOnce, AsyncRWLock, AsyncSemaphore
from toril.toolkit.keys import Keys
from toril.toolkit.locks.operations.acquire import ACQUIRE
from toril.toolkit.locks.operations.acquire_all import ACQUIRE_ALL
from toril.toolkit.locks.operations.give_up import GIVE_UP
from toril.toolkit.once.operations.begin import BEGIN
from toril.toolkit.once.wire import ONCE, RunKeys
from toril.toolkit.permits.operations.take import TAKE

BARRED = {
    "lock": "toril:lk:{a}:x",
    "multi": "toril:lk:{b}:x",
    "semaphore": "toril:sm:{a}:b",
    "rwlock": "toril:rw:{a}:b",
    "once": RunKeys(Keys("toril", ONCE), "a", "b").barred,
}
SCRIPTS = {"lock": ACQUIRE, "multi": ACQUIRE_ALL, "semaphore": TAKE, "rwlock": TAKE}


async def _nothing() -> None:
    """There is nothing to do."""


def _keep_next(proxy: Proxy, script: Script) -> None:
    proxy.add_rule(Rule(script.sha.encode(), Fault.KEEP_REQUEST, times=1))


def _holders(url: str) -> dict[str, AsyncLock | AsyncMultiLock | AsyncSemaphore]:
    return {
        "lock": AsyncLock("a", url),
        "multi": AsyncMultiLock(["a", "b"], url),
        "semaphore": AsyncSemaphore("a", url, permits=1),
    }


@pytest.mark.parametrize("kind", ["lock", "multi", "semaphore"])
async def test_an_acquisition_that_comes_after_the_release_gets_nothing(
    proxy: Proxy, redis_client: redis.Redis, kind: str
) -> None:
    holder = _holders(proxy.url)[kind]
    async with holder.hold():
        pass
    _keep_next(proxy, SCRIPTS[kind])

    async with holder.hold():
        pass

    wait_until(lambda: bool(redis_client.exists(BARRED[kind])), "it is settled", 2)
    assert len(proxy.deliver_kept()) == 1
    async with holder.hold(wait=0):
        pass
    await holder.close()


async def test_an_acquisition_that_comes_just_after_the_release_is_undone(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = AsyncLock("a", proxy.url)
    async with lock.hold():
        pass
    _keep_next(proxy, ACQUIRE)
    proxy.add_rule(Rule(GIVE_UP.sha.encode(), Fault.DELAY, times=1, delay_s=0.8))
    async with lock.hold():
        pass
    proxy.deliver_kept()
    assert redis_client.exists("toril:lk:{a}"), "it came too late for this test"

    wait_until(lambda: bool(redis_client.exists(BARRED["lock"])), "it is settled", 5)
    async with lock.hold(wait=0):
        pass
    await lock.close()


@pytest.mark.parametrize("kind", ["lock", "multi", "semaphore"])
async def test_an_acquisition_that_was_refused_gets_nothing_later(
    proxy: Proxy, redis_client: redis.Redis, kind: str
) -> None:
    holder = _holders(proxy.url)[kind]
    lease = await holder.acquire()
    assert lease is not None
    _keep_next(proxy, SCRIPTS[kind])
    assert await holder.acquire(wait=0) is None
    await lease.release()

    wait_until(lambda: bool(redis_client.exists(BARRED[kind])), "it is settled", 2)
    proxy.deliver_kept()
    async with holder.hold(wait=0):
        pass
    await holder.close()


async def test_a_writer_that_comes_late_keeps_nobody_out(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = AsyncRWLock("a", proxy.url)
    async with lock.write():
        pass
    _keep_next(proxy, TAKE)
    async with lock.write():
        pass

    wait_until(lambda: bool(redis_client.exists(BARRED["rwlock"])), "it is settled", 2)
    proxy.deliver_kept()
    async with lock.read(wait=0):
        pass
    await lock.close()


async def test_a_run_that_is_begun_late_begins_nothing(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    once = AsyncOnce("a", proxy.url, ttl=60)
    await once.run("warm", _nothing)
    _keep_next(proxy, BEGIN)
    await once.run("b", _nothing)
    wait_until(lambda: bool(redis_client.exists(BARRED["once"])), "it is settled", 2)
    assert await once.forget("b")

    proxy.deliver_kept()

    ran: list[bool] = []

    async def work() -> None:
        ran.append(True)

    await once.run("b", work)
    assert ran
    await once.close()
