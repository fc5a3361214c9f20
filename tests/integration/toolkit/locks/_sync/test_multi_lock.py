"""Several locks are held all at once, or none of them."""  # generated from _async/test_multi_lock.py by tools/generate_sync.py: edit that file

import pytest
import redis
from tests.support.fleets import ValkeyCluster
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule
from tests.support.servers import ValkeyServer, wait_until

from toril.connection import Connection
from toril.core.errors import BadInputError, ClosedError
from toril.toolkit import Lock, MultiLock, LeaseLostError, LockTimeoutError
from toril.toolkit.locks.operations.acquire_all import ACQUIRE_ALL

NAMES = ("c", "a", "b")


def is_free(name: str, url: str) -> bool:
    lock = Lock(name, url)
    try:
        lease = lock.acquire(wait=0)
        return lease is not None and lease.release()
    finally:
        lock.close()


def test_all_of_them_are_held(every_server: ValkeyServer) -> None:
    url = every_server.url
    locks = MultiLock(NAMES, url)
    with locks.hold() as lease:
        lease.check()
        assert lease.name == "a, b, c"
        assert [is_free(name, url) for name in NAMES] == [False] * 3
        assert locks.acquire(wait=0) is None

    assert [is_free(name, url) for name in NAMES] == [True] * 3
    locks.close()


def test_all_of_them_are_held_on_a_cluster(cluster: ValkeyCluster) -> None:
    locks = MultiLock(NAMES, cluster.url)
    with locks.hold() as first:
        assert [is_free(name, cluster.url) for name in NAMES] == [False] * 3
        assert locks.acquire(wait=0) is None
    with locks.hold() as second:
        pass

    assert second.fence > first.fence
    with Connection(cluster.url) as connection:
        for name in NAMES:
            with Lock(name, connection).hold() as alone:
                assert alone.fence > second.fence
    locks.close()


def test_the_fence_is_above_that_of_each(redis_url: str, redis_client: redis.Redis) -> None:
    ahead = 2**52
    redis_client.set("toril:lk:{b}:f", ahead)
    locks = MultiLock(NAMES, redis_url)
    with locks.hold() as lease:
        assert lease.fence == ahead + 1
    lock = Lock("a", redis_url)
    with lock.hold() as alone:
        assert alone.fence == ahead + 2
    lock.close()
    locks.close()


@pytest.mark.parametrize("wait", [0, 0.1])
def test_one_that_is_anothers_keeps_the_others_free(redis_url: str, wait: float) -> None:
    locks, other = MultiLock(NAMES, redis_url), Lock("b", redis_url)
    with other.hold():
        assert locks.acquire(wait) is None
        with pytest.raises(LockTimeoutError, match="locks 'a, b, c'"):
            with locks.hold(wait):
                pytest.fail("one of them is another's")
        wait_until(lambda: not _is_held("a", redis_url), "the first is given back", 2)
        assert is_free("c", redis_url)
    other.close()
    locks.close()


def _is_held(name: str, url: str) -> bool:
    with redis.Redis.from_url(url) as client:
        return bool(client.exists(f"toril:lk:{{{name}}}"))


@pytest.mark.parametrize("replicas", [0, None])
def test_losing_one_is_losing_all(
    redis_url: str, redis_client: redis.Redis, replicas: int | None
) -> None:
    told = []
    locks = MultiLock(NAMES, redis_url, ttl=0.3, replicas=replicas, on_lost=told.append)
    lease = locks.acquire()
    assert lease is not None
    redis_client.delete("toril:lk:{b}")

    assert lease.lost.wait(2)
    with pytest.raises(LeaseLostError, match="the server has it no more"):
        lease.check()
    wait_until(lambda: not _is_held("a", redis_url), "the others are given up", 2)
    assert lease.release() is False
    for _ in range(20):
        is_free("z", redis_url)  # which lets the loop turn
    assert told == [lease]
    locks.close()


def test_all_of_them_are_prolonged(redis_url: str, redis_client: redis.Redis) -> None:
    locks = MultiLock(NAMES, redis_url, ttl=5)
    with locks.hold() as lease:
        lease.extend(60)
        assert lease.remaining() > 58
        assert all(redis_client.pttl(f"toril:lk:{{{name}}}") > 58_000 for name in NAMES)
    locks.close()


def test_closed_locks_are_acquired_no_more_though_their_connection_is_shared(
    redis_url: str,
) -> None:
    with Connection(redis_url) as connection:
        locks = MultiLock(NAMES, connection)
        locks.close()
        with pytest.raises(ClosedError, match="'a, b, c' is closed"):
            locks.acquire(0)


def test_a_lost_reply_costs_nothing(proxy: Proxy) -> None:
    locks = MultiLock(NAMES, proxy.url)
    with locks.hold():
        pass
    proxy.add_rule(Rule(ACQUIRE_ALL.sha.encode(), Fault.LOSE_REPLY, every=2))
    for _ in range(4):
        lease = locks.acquire(wait=0)
        assert lease is not None
        assert lease.release() is True
    assert proxy.cuts
    locks.close()


@pytest.mark.parametrize("names", ["abc", [], [""], [7], [f"{n}" for n in range(101)]])
def test_names_that_cannot_be_are_refused(names: list[str]) -> None:
    with pytest.raises(BadInputError) as caught:
        MultiLock(names, "redis://127.0.0.1:1")

    assert caught.value.field == "names"
