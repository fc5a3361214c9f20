"""A semaphore has no more holders than permits, and every permit comes back."""

from time import monotonic

import pytest
import redis
from tests.support.event_log import EventLog
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer, wait_until

from toril.connection import AsyncConnection
from toril.core.errors import BadInputError, ClosedError
from toril.core.script import Script
from toril.telemetry.toolkit_leases import LeaseAcquired, LeaseGone, LeaseReleased, LeaseRenewed
from toril.toolkit import AsyncSemaphore, LeaseLostError, LockTimeoutError, Occupancy
from toril.toolkit.permits.operations.give_back import GIVE_BACK
from toril.toolkit.permits.operations.renew import RENEW
from toril.toolkit.permits.operations.take import TAKE

KEY = "toril:sm:{press}"


async def test_as_many_hold_it_as_there_are_permits(every_server: ValkeyServer) -> None:
    semaphore = AsyncSemaphore("press", every_server.url, permits=2)

    first, second = await semaphore.acquire(0), await semaphore.acquire(0)
    assert first is not None
    assert second is not None
    assert second.fence > first.fence
    assert await semaphore.acquire(0) is None
    assert await semaphore.info() == Occupancy(2, 0, is_writing=False)
    assert await first.release() is True
    third = await semaphore.acquire(0)
    assert third is not None
    assert await semaphore.acquire(0) is None

    assert await first.release() is False
    assert await second.release() is True
    assert await third.release() is True
    await semaphore.close()


async def test_a_block_holds_a_permit_while_it_runs(redis_url: str) -> None:
    log = EventLog()
    semaphore = AsyncSemaphore("press", redis_url, permits=1, emitter=log.emitter)
    others = AsyncSemaphore("press", redis_url, permits=1, wait=0.05)

    async with semaphore.hold() as lease:
        lease.check()
        with pytest.raises(LockTimeoutError, match="semaphore 'press' was not free within"):
            async with others.hold():
                pytest.fail("there is no second permit")
    async with others.hold() as lease:
        lease.check()

    assert [event.kind for event in log.of(LeaseAcquired)] == ["semaphore"]
    assert [event.kind for event in log.of(LeaseReleased)] == ["semaphore"]
    await semaphore.close()
    await others.close()


async def test_a_permit_is_renewed_while_its_holder_lives(redis_url: str) -> None:
    log = EventLog()
    semaphore = AsyncSemaphore("press", redis_url, permits=1, ttl=0.15, emitter=log.emitter)
    async with semaphore.hold() as lease:
        assert await semaphore.acquire(0.5) is None
        lease.check()

    assert len(log.of(LeaseRenewed)) >= 3
    await semaphore.close()


async def test_a_permit_that_is_not_renewed_is_back_when_its_lease_ends(redis_url: str) -> None:
    semaphore = AsyncSemaphore("press", redis_url, permits=1, ttl=0.2, renew=False)
    others = AsyncSemaphore("press", redis_url, permits=1)
    began = monotonic()
    lease = await semaphore.acquire()
    assert lease is not None

    again = await others.acquire(5)

    assert again is not None
    assert 0.15 < monotonic() - began < 0.4
    with pytest.raises(LeaseLostError):
        lease.check()
    assert await lease.release() is False
    assert await others.info() == Occupancy(1, 0, is_writing=False)
    await again.release()
    await semaphore.close()
    await others.close()


async def test_a_permit_that_is_taken_away_is_missed(
    redis_url: str, redis_client: redis.Redis
) -> None:
    log = EventLog()
    semaphore = AsyncSemaphore("press", redis_url, permits=1, ttl=0.3, emitter=log.emitter)
    lease = await semaphore.acquire()
    assert lease is not None
    redis_client.delete(KEY)

    assert await lease.lost.wait(0.3)
    assert [(event.kind, event.subject) for event in log.of(LeaseGone)] == [("semaphore", "press")]
    await semaphore.close()


async def test_whoever_waited_leaves_the_line(redis_url: str, redis_client: redis.Redis) -> None:
    semaphore = AsyncSemaphore("press", redis_url, permits=1)
    async with semaphore.hold():
        assert await semaphore.acquire(0.05) is None
        wait_until(lambda: not redis_client.exists(f"{KEY}:w", f"{KEY}:a"), "the line is empty")
    await semaphore.close()


async def test_each_process_keeps_to_its_own_number_of_permits(redis_url: str) -> None:
    async with AsyncConnection(redis_url) as connection:
        wide = AsyncSemaphore("press", connection, permits=3)
        narrow = AsyncSemaphore("press", connection, permits=1)
        first, second = await wide.acquire(0), await wide.acquire(0)
        assert first is not None
        assert second is not None

        assert await narrow.acquire(0) is None
        third = await wide.acquire(0)
        assert third is not None
        for lease in (first, second, third):
            await lease.release()
        last = await narrow.acquire(0)
        assert last is not None
        await last.release()


@pytest.mark.parametrize("script", [TAKE, RENEW, GIVE_BACK])
async def test_a_lost_reply_neither_takes_two_permits_nor_loses_one(
    proxy: Proxy, script: Script
) -> None:
    semaphore = AsyncSemaphore("press", proxy.url, permits=2)
    async with semaphore.hold() as lease:
        await lease.extend(30)
    for _ in range(5):
        proxy.cut_after(script.sha.encode())
        lease = await semaphore.acquire(0)
        assert lease is not None
        await lease.extend(30)
        assert await semaphore.info() == Occupancy(1, 0, is_writing=False)
        assert await lease.release() is True
        assert await semaphore.info() == Occupancy(0, 0, is_writing=False)

    assert proxy.cuts == 5
    await semaphore.close()


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"permits": 0}, "permits"),
        ({"permits": 1_000_001}, "permits"),
        ({"permits": True}, "permits"),
        ({"permits": 1.5}, "permits"),
        ({"ttl": 0.01}, "ttl"),
        ({"ttl": 90_000}, "ttl"),
        ({"wait": -1}, "wait"),
        ({"fair": 1}, "fair"),
        ({"renew": "no"}, "renew"),
        ({"max_hold": 0}, "max_hold"),
        ({"on_lost": 5}, "on_lost"),
        ({"prefix": "a b"}, "prefix"),
        ({"timeout": 0}, "timeout"),
        ({"replicas": 1}, "replicas"),
    ],
)
async def test_an_option_that_makes_no_sense_is_named(
    options: dict[str, object], field: str
) -> None:
    with pytest.raises(BadInputError, match=f"^{field}: "):
        AsyncSemaphore("press", "redis://127.0.0.1:1", **({"permits": 1} | options))  # type: ignore[arg-type]


async def test_after_closing_nothing_is_held(redis_url: str) -> None:
    semaphore = AsyncSemaphore("press", redis_url, permits=1)
    await semaphore.close()

    with pytest.raises(ClosedError):
        await semaphore.acquire()
