"""Jobs that are taken, renewed and settled by hand, without a worker."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard
from tests.integration.bullmq.workers import taken, until
from tests.support.servers import ValkeyServer

from toril import AsyncClaims, AsyncQueue, GiveBack, PermanentError, Retry
from toril.core.errors import (
    BadInputError,
    ChildFailedError,
    ChildrenPendingError,
    JobFailedError,
    LockLostError,
    QueueNameAmbiguousError,
)
from toril.telemetry.emitter import Emitter

BASE = "bull:{mail}:"


@pytest.fixture
async def queue(redis_url: str) -> AsyncIterator[AsyncQueue]:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        yield queue


async def test_a_job_is_taken_and_completed_on_every_server(every_server: ValkeyServer) -> None:
    async with AsyncQueue("mail", every_server.url) as queue:
        added = await queue.add("n", {"to": "ada"})
        async with AsyncClaims("mail", every_server.url, name="by hand") as claims:
            claimed = await taken(claims)
            await claimed.job.log("working")
            await claimed.renew()
            await claimed.complete({"sent": True})
            nothing = await claims.take(timeout=0)

        assert (claimed.id, claimed.job.data, nothing) == (added.id, {"to": "ada"}, None)
        assert await added.result(timeout=5) == {"sent": True}
        found = await queue.get_job(added.id)
        assert found is not None
        assert found.record.processed_by == "by hand"


async def test_whoever_waits_gets_the_next_job_at_once(
    queue: AsyncQueue, claims: AsyncClaims
) -> None:
    waiting = asyncio.create_task(claims.take(timeout=30))
    added = await queue.add("n")
    began = time.monotonic()
    claimed = await waiting

    assert claimed is not None
    assert claimed.id == added.id
    assert time.monotonic() - began < 3
    await claimed.complete()


async def test_a_delayed_job_is_taken_when_it_is_due(
    queue: AsyncQueue, claims: AsyncClaims
) -> None:
    await queue.add("n", delay=0.3)

    claimed = await claims.take(timeout=5)

    assert claimed is not None
    await claimed.complete()


async def test_nothing_comes_of_an_empty_or_paused_queue(
    queue: AsyncQueue, claims: AsyncClaims
) -> None:
    assert await claims.take(timeout=0) is None
    await queue.pause()
    await queue.add("n")

    assert await claims.take(timeout=0.2) is None


async def test_ten_who_take_at_once_get_ten_jobs(queue: AsyncQueue, claims: AsyncClaims) -> None:
    waiting = [asyncio.create_task(claims.take(timeout=20)) for _ in range(10)]
    await queue.add_many([("n", number) for number in range(10)])

    found = await asyncio.gather(*waiting)

    assert sorted(one.job.data for one in found if one) == list(range(10))
    await asyncio.gather(*(one.complete() for one in found if one))
    assert (await queue.counts()).completed == 10


async def test_a_failure_uses_up_an_attempt(queue: AsyncQueue, claims: AsyncClaims) -> None:
    job = await queue.add("n", attempts=3, backoff=None)

    runs_again = [await (await taken(claims)).fail(ValueError("no")) for _ in range(3)]

    assert runs_again == [True, True, False]
    with pytest.raises(JobFailedError, match="no"):
        await job.result(timeout=5)


async def test_a_permanent_failure_is_the_end(queue: AsyncQueue, claims: AsyncClaims) -> None:
    job = await queue.add("n", attempts=3)

    assert not await (await taken(claims)).fail(PermanentError("never"))
    assert await job.state() == "failed"


async def test_a_text_will_do_for_a_failure(queue: AsyncQueue, claims: AsyncClaims) -> None:
    job = await queue.add("n", attempts=1)

    await (await taken(claims)).fail("out of paper")

    with pytest.raises(JobFailedError, match="out of paper"):
        await job.result(timeout=5)


async def test_a_retry_may_have_a_pause_of_its_own(queue: AsyncQueue, claims: AsyncClaims) -> None:
    job = await queue.add("n", attempts=2, backoff=None)

    assert await (await taken(claims)).retry("later", delay=60)
    assert await job.state() == "delayed"


async def test_what_is_put_off_or_given_back_keeps_its_attempts(
    queue: AsyncQueue, claims: AsyncClaims
) -> None:
    job = await queue.add("n", attempts=1)
    await (await taken(claims)).give_back()
    await (await taken(claims)).delay(datetime.now(UTC) + timedelta(hours=1))
    state = await job.state()
    await job.promote()
    await (await taken(claims)).delay(0)
    claimed = await taken(claims)

    assert state == "delayed"
    assert claimed.job.attempts_made == 0
    await claimed.complete()


async def test_a_lease_that_is_lost_changes_nothing(
    queue: AsyncQueue, claims: AsyncClaims, redis_client: redis.Redis
) -> None:
    await queue.add("n")
    claimed = await taken(claims)
    redis_client.set(BASE + "1:lock", "another")
    for late in (claimed.renew, claimed.complete, claimed.give_back):
        with pytest.raises(LockLostError, match="the lease on job '1' is lost"):
            await late()
        assert claimed.is_settled

    assert await queue.jobs.state("1") == "active"
    redis_client.set(BASE + "1:lock", claimed._claimed.lease.token)
    await claimed.complete()


async def test_a_job_is_settled_once(queue: AsyncQueue, claims: AsyncClaims) -> None:
    job = await queue.add("n")
    claimed = await taken(claims)
    ends = await asyncio.gather(
        *(claimed.complete(number) for number in range(10)), return_exceptions=True
    )

    assert sum(end is None for end in ends) == 1
    assert sum(isinstance(end, LockLostError) for end in ends) == 9
    assert await job.state() == "completed"


async def test_what_cannot_be_stored_is_refused_and_the_job_stays(
    queue: AsyncQueue, claims: AsyncClaims
) -> None:
    await queue.add("n")
    claimed = await taken(claims)
    with pytest.raises(BadInputError, match="result"):
        await claimed.complete(object())
    with pytest.raises(BadInputError, match="until"):
        await claimed.delay(datetime(2030, 1, 1))  # noqa: DTZ001
    with pytest.raises(BadInputError, match="until"):
        await claimed.delay(timedelta(days=365 * 30))
    with pytest.raises(BadInputError, match="delay"):
        await claimed.retry(delay=-1)
    with pytest.raises(BadInputError, match="timeout"):
        await claims.take(timeout=-1)

    assert not claimed.is_settled
    await claimed.complete()


async def test_a_parent_waits_by_hand_for_its_children(
    queue: AsyncQueue, claims: AsyncClaims, redis_client: redis.Redis
) -> None:
    await queue.add("parent", job_id="p")
    parent = await taken(claims)
    assert not await parent.wait_for_children()
    child = await queue.add("child", job_id="c")
    redis_client.sadd(BASE + "p:dependencies", BASE + "c")
    redis_client.hset(
        BASE + "c",
        mapping={"parentKey": BASE + "p", "parent": '{"id":"p","queueKey":"bull:{mail}"}'},
    )
    with pytest.raises(ChildrenPendingError):
        await parent.complete()
    assert not parent.is_settled
    assert await parent.wait_for_children()
    state = await queue.jobs.state("p")
    await (await taken(claims)).complete("from the child")
    parent = await taken(claims)
    await parent.complete()

    assert (state, parent.id) == ("waiting_children", "p")
    assert await child.state() == "completed"


async def test_a_parent_whose_child_has_failed_it_can_only_fail(
    queue: AsyncQueue, claims: AsyncClaims, redis_client: redis.Redis
) -> None:
    await queue.add("parent", attempts=1)
    parent = await taken(claims)
    redis_client.zadd(BASE + "1:unsuccessful", {BASE + "c": 1})
    with pytest.raises(ChildFailedError):
        await parent.complete()
    with pytest.raises(ChildFailedError):
        await parent.wait_for_children()

    assert not await parent.fail("because of a child")
    redis_client.delete(BASE + "1:unsuccessful")


async def test_a_block_settles_what_it_has_not(queue: AsyncQueue, claims: AsyncClaims) -> None:
    job = await queue.add("n", attempts=2, backoff=None)
    with pytest.raises(ValueError, match="no"):
        async with await taken(claims):
            raise ValueError("no")
    async with await taken(claims) as claimed:
        made = claimed.job.attempts_made
    with pytest.raises(GiveBack):
        async with await taken(claims):
            raise GiveBack
    with pytest.raises(Retry):
        async with await taken(claims):
            raise Retry("last")

    assert made == 1
    with pytest.raises(JobFailedError, match="last"):
        await job.result(timeout=5)


async def test_a_block_that_settles_its_job_is_left_alone(
    queue: AsyncQueue, claims: AsyncClaims
) -> None:
    job = await queue.add("n")

    async def work() -> None:
        async with await taken(claims) as claimed:
            await claimed.complete(1)
            raise ValueError("after the end")

    with pytest.raises(ValueError, match="after the end"):
        await work()

    assert await job.result(timeout=5) == 1


async def test_a_block_that_is_cancelled_gives_its_job_back(
    queue: AsyncQueue, claims: AsyncClaims
) -> None:
    job = await queue.add("n")
    inside = asyncio.Event()

    async def work() -> None:
        async with await taken(claims):
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await inside.wait()
    task.cancel()
    await asyncio.wait([task])

    assert task.cancelled()
    assert await job.state() == "waiting"


async def test_a_job_that_cannot_be_read_is_failed_on_the_way(
    queue: AsyncQueue, claims: AsyncClaims, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I31")
    spoilt = await queue.add("n")
    await queue.add("n")
    redis_client.hset(BASE + spoilt.id, "data", "{")

    claimed = await taken(claims)

    assert claimed.id == "2"
    assert await spoilt.state() == "failed"
    await claimed.complete()


async def test_lost_jobs_are_reaped_by_hand(redis_url: str, redis_client: redis.Redis) -> None:
    options = {"lock": 0.2, "stalled_interval": 0.1}
    async with AsyncQueue("mail", redis_url) as queue:
        await queue.add("n")
        async with AsyncClaims("mail", redis_url, **options) as claims:
            claimed = await taken(claims)
            await claims.reap()
            await until(lambda: not redis_client.exists(BASE + "1:lock"), "the lease is over")
            await until(lambda: not redis_client.exists(BASE + "stalled-check"), "a check is due")

            assert await claims.reap() == ["1"]
            with pytest.raises(LockLostError):
                await claimed.complete()
            await (await taken(claims)).complete()


async def test_the_wrong_spelling_of_a_queue_is_told(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url, hash_tag=False) as theirs:
        await theirs.add("n")
    async with AsyncClaims("mail", redis_url) as claims:
        with pytest.raises(QueueNameAmbiguousError):
            await claims.take(timeout=0)


async def test_an_option_that_does_not_exist_is_refused(redis_url: str) -> None:
    with pytest.raises(BadInputError, match="concurrency: is not an option of a claim"):
        AsyncClaims("mail", redis_url, concurrency=2)  # type: ignore[call-arg]
