"""A request that was sent again, and whose first copy comes late, takes nothing for nobody."""  # generated from _async/test_late_copies.py by tools/generate_sync.py: edit that file

import pytest
import redis
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule
from tests.support.servers import wait_until

from toril.core.script import Script
from toril.toolkit import Lock, MultiLock, Once, RWLock, Semaphore
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


def _nothing() -> None:
    """There is nothing to do."""


def _keep_next(proxy: Proxy, script: Script) -> None:
    proxy.add_rule(Rule(script.sha.encode(), Fault.KEEP_REQUEST, times=1))


def _holders(url: str) -> dict[str, Lock | MultiLock | Semaphore]:
    return {
        "lock": Lock("a", url),
        "multi": MultiLock(["a", "b"], url),
        "semaphore": Semaphore("a", url, permits=1),
    }


@pytest.mark.parametrize("kind", ["lock", "multi", "semaphore"])
def test_an_acquisition_that_comes_after_the_release_gets_nothing(
    proxy: Proxy, redis_client: redis.Redis, kind: str
) -> None:
    holder = _holders(proxy.url)[kind]
    with holder.hold():
        pass
    _keep_next(proxy, SCRIPTS[kind])

    with holder.hold():
        pass

    wait_until(lambda: bool(redis_client.exists(BARRED[kind])), "it is settled", 2)
    assert len(proxy.deliver_kept()) == 1
    with holder.hold(wait=0):
        pass
    holder.close()


def test_an_acquisition_that_comes_just_after_the_release_is_undone(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = Lock("a", proxy.url)
    with lock.hold():
        pass
    _keep_next(proxy, ACQUIRE)
    proxy.add_rule(Rule(GIVE_UP.sha.encode(), Fault.DELAY, times=1, delay_s=0.8))
    with lock.hold():
        pass
    proxy.deliver_kept()
    assert redis_client.exists("toril:lk:{a}"), "it came too late for this test"

    wait_until(lambda: bool(redis_client.exists(BARRED["lock"])), "it is settled", 5)
    with lock.hold(wait=0):
        pass
    lock.close()


@pytest.mark.parametrize("kind", ["lock", "multi", "semaphore"])
def test_an_acquisition_that_was_refused_gets_nothing_later(
    proxy: Proxy, redis_client: redis.Redis, kind: str
) -> None:
    holder = _holders(proxy.url)[kind]
    lease = holder.acquire()
    assert lease is not None
    _keep_next(proxy, SCRIPTS[kind])
    assert holder.acquire(wait=0) is None
    lease.release()

    wait_until(lambda: bool(redis_client.exists(BARRED[kind])), "it is settled", 2)
    proxy.deliver_kept()
    with holder.hold(wait=0):
        pass
    holder.close()


def test_a_writer_that_comes_late_keeps_nobody_out(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    lock = RWLock("a", proxy.url)
    with lock.write():
        pass
    _keep_next(proxy, TAKE)
    with lock.write():
        pass

    wait_until(lambda: bool(redis_client.exists(BARRED["rwlock"])), "it is settled", 2)
    proxy.deliver_kept()
    with lock.read(wait=0):
        pass
    lock.close()


def test_a_run_that_is_begun_late_begins_nothing(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    once = Once("a", proxy.url, ttl=60)
    once.run("warm", _nothing)
    _keep_next(proxy, BEGIN)
    once.run("b", _nothing)
    wait_until(lambda: bool(redis_client.exists(BARRED["once"])), "it is settled", 2)
    assert once.forget("b")

    proxy.deliver_kept()

    ran: list[bool] = []

    def work() -> None:
        ran.append(True)

    once.run("b", work)
    assert ran
    once.close()
