"""Jobs in the hands of people: cancelled calls, lost replies, threads, and the end."""

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest
import redis
from tests.integration.bullmq.workers import taken, until_asleep
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule

from toril import AsyncClaims, AsyncQueue, Claims, Queue
from toril.bullmq.operations.claim.claim import CLAIM
from toril.bullmq.operations.finish.finish_jobs import FINISH_JOBS
from toril.core.errors import (
    ClosedError,
    UnavailableError,
)
from toril.telemetry.emitter import Emitter

BASE = "bull:{mail}:"


@pytest.fixture
async def queue(redis_url: str) -> AsyncIterator[AsyncQueue]:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        yield queue


async def test_what_is_held_goes_back_at_the_end(queue: AsyncQueue, redis_url: str) -> None:
    job = await queue.add("n")
    async with AsyncClaims("mail", redis_url) as claims:
        claimed = await taken(claims)
        assert await job.state() == "active"

    assert await job.state() == "waiting"
    with pytest.raises(ClosedError):
        await claimed.complete()
    with pytest.raises(ClosedError):
        await claims.take(timeout=0)
    await claims.close()


async def test_closing_ends_a_wait(redis_url: str, redis_client: redis.Redis) -> None:
    claims = AsyncClaims("mail", redis_url, emitter=Emitter())
    await claims.take(timeout=0)
    waiting = asyncio.create_task(claims.take())
    await until_asleep(redis_client)

    await claims.close()

    with pytest.raises((ClosedError, UnavailableError)):
        await asyncio.wait_for(waiting, 5)


async def test_a_settlement_goes_on_when_its_caller_is_cancelled(
    queue: AsyncQueue, claims: AsyncClaims
) -> None:
    job = await queue.add("n")
    claimed = await taken(claims)
    begun = asyncio.Event()

    async def complete() -> None:
        begun.set()
        await claimed.complete(7)

    task = asyncio.create_task(complete())
    await begun.wait()
    task.cancel()
    await asyncio.wait([task])

    assert await job.result(timeout=5) == 7


async def test_a_take_that_is_cancelled_loses_no_job(
    queue: AsyncQueue, redis_url: str, redis_client: redis.Redis
) -> None:
    found = []
    async with AsyncClaims("mail", redis_url, emitter=Emitter()) as claims:
        for number in range(20):
            waiting = asyncio.create_task(claims.take(timeout=5))
            [await queue.counts() for _ in range(number % 4)]
            await queue.add("n")
            waiting.cancel()
            await asyncio.wait([waiting])
            if not waiting.cancelled() and (claimed := waiting.result()):
                found.append(claimed)
        while claimed := await claims.take(timeout=0.2):
            found.append(claimed)
        await asyncio.gather(*(one.complete() for one in found))

    assert len(found) == 20
    assert redis_client.zcard(BASE + "completed") == 20


async def test_a_lost_reply_to_a_take_brings_the_job_all_the_same(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    url = proxy.url
    async with AsyncQueue("mail", url) as queue, AsyncClaims("mail", url) as claims:
        await claims.take(timeout=0)
        await queue.add("n")
        proxy.cut_after(CLAIM.sha.encode())

        claimed = await taken(claims)
        await claimed.complete()

    assert proxy.cuts == 1
    assert redis_client.hget(BASE + "1", "ats") == b"1"


async def test_a_lost_reply_to_an_end_stores_it_once(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    url = proxy.url
    async with AsyncQueue("mail", url) as queue, AsyncClaims("mail", url) as claims:
        await queue.add("n")
        claimed = await taken(claims)
        proxy.cut_after(FINISH_JOBS.sha.encode())

        await claimed.complete("once")

    assert proxy.cuts == 1
    assert redis_client.hget(BASE + "1", "atm") == b"1"
    assert redis_client.hget(BASE + "1", "returnvalue") == b'"once"'


async def test_who_takes_while_another_connects_uses_that_connection(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    proxy.add_rule(Rule(b"SETNAME", Fault.DELAY, delay_s=0.2))
    async with AsyncClaims("mail", proxy.url, emitter=Emitter()) as claims:
        await asyncio.gather(*(claims.take(timeout=0) for _ in range(10)))

        names = [client["name"] for client in redis_client.client_list()]
        assert sum(name.endswith(claims.id) for name in names) == 1


def test_threads_take_jobs_by_hand(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue, Claims("mail", redis_url) as claims:
        jobs = queue.add_many([("n", number) for number in range(20)])

        def work() -> None:
            while claimed := claims.take(timeout=0.2):
                with claimed:
                    claimed.job.log("working")
                    claimed.renew()
                    claimed.complete(claimed.job.data)

        threads = [threading.Thread(target=work) for _ in range(4)]
        [thread.start() for thread in threads]  # type: ignore[func-returns-value]
        [thread.join() for thread in threads]  # type: ignore[func-returns-value]

        assert [job.result(timeout=5) for job in jobs] == list(range(20))
        assert claims.reap() == []


def test_every_verb_has_a_blocking_twin(redis_url: str) -> None:
    with Queue("mail", redis_url) as queue, Claims("mail", redis_url) as claims:
        job = queue.add("n", attempts=4, backoff=None)

        def take() -> object:
            claimed = claims.take(timeout=5)
            assert claimed is not None
            return claimed

        assert take().fail("no")  # type: ignore[attr-defined]
        assert take().retry()  # type: ignore[attr-defined]
        take().give_back()  # type: ignore[attr-defined]
        take().delay(0.01)  # type: ignore[attr-defined]
        with pytest.raises(ZeroDivisionError), take():  # type: ignore[attr-defined]
            1 / 0  # noqa: B018
        claimed = claims.take(timeout=5)
        assert claimed is not None
        assert (claimed.id, claimed.is_settled, repr(claimed)) == ("1", False, "<ClaimedJob 1 'n'>")
        assert not claimed.wait_for_children()
        claimed.complete()
        assert claimed.is_settled
        assert job.result(timeout=5) is None

    claims.close()
    with pytest.raises(ClosedError):
        claims.take(timeout=0)


def test_claims_that_were_never_used_close(redis_url: str) -> None:
    with Claims("mail", redis_url) as claims:
        assert repr(claims) == "<Claims bull:{mail}:>"
