"""What a failover forgets: the lock, but never how far its fences had come."""

from collections.abc import Iterator
from time import monotonic

import pytest
import redis
from tests.support.servers import ValkeyServer, wait_until

from toril.connection import Connection
from toril.toolkit import AsyncLock, Lock


@pytest.fixture(scope="module")
def pair() -> Iterator[tuple[ValkeyServer, ValkeyServer]]:
    """Two servers that can follow each other."""
    with _at_once() as one, _at_once() as other:
        yield one, other


def _at_once() -> ValkeyServer:
    """A server that does not wait for more replicas before it copies itself to one."""
    return ValkeyServer(repl_diskless_sync_delay=0)


def follow(replica: ValkeyServer, master: ValkeyServer) -> None:
    """Copy the master, and go on copying it."""
    with replica.client() as client:
        client.replicaof("127.0.0.1", master.port)
    with master.client() as client:
        wait_until(lambda: client.wait(1, 1) == 1, "the replica is there")


def leave(replica: ValkeyServer) -> None:
    """Become a master with what is there."""
    with replica.client() as client:
        client.replicaof("NO", "ONE")


@pytest.mark.timeout(120)
@pytest.mark.parametrize("failovers", [5, pytest.param(50, marks=pytest.mark.long)])
def test_fences_grow_through_failovers_that_lose_the_last_one(
    pair: tuple[ValkeyServer, ValkeyServer], failovers: int
) -> None:
    master, replica = pair
    fences = []
    for _ in range(failovers):
        follow(replica, master)
        with Connection(master.url) as connection:
            for is_copied in (True, False):
                if not is_copied:
                    leave(replica)
                with Lock("a", connection).hold() as lease:
                    fences.append(lease.fence)
        master, replica = replica, master

    assert fences == sorted(set(fences))


async def test_it_is_held_when_as_many_replicas_know_as_must(
    pair: tuple[ValkeyServer, ValkeyServer],
) -> None:
    master, replica = pair
    leave(master)
    follow(replica, master)
    lock = AsyncLock("b", master.url, replicas=1)
    lease = await lock.acquire(wait=0)
    assert lease is not None
    with replica.client() as client:
        assert client.exists("toril:lk:{b}")
    await lease.release()
    leave(replica)

    began = monotonic()
    assert await lock.acquire(wait=0) is None
    assert 0.9 < monotonic() - began < 2
    assert await lock.info() is None
    await lock.close()


async def test_waiting_for_a_replica_is_waiting_for_the_lock(
    pair: tuple[ValkeyServer, ValkeyServer],
) -> None:
    master, replica = pair
    leave(master)
    leave(replica)
    lock = AsyncLock("c", master.url, replicas=1)
    assert await lock.acquire(wait=0.1) is None
    follow(replica, master)
    lease = await lock.acquire(wait=10)
    assert lease is not None
    with redis.Redis.from_url(master.url) as client:
        assert client.exists("toril:lk:{c}")
    await lease.release()
    await lock.close()
    leave(replica)
