"""A job that runs somewhere is cancelled from anywhere."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from dataclasses import asdict

import pytest
import redis
from tests.integration.bullmq.rigs import Hire, KeyspaceGuard
from tests.integration.bullmq.workers import taken, until, until_asleep, working
from tests.support.proxy import Proxy
from tests.support.servers import ValkeyServer, wait_until

from toril import AsyncClaims, AsyncQueue, Cancellation, Queue, StopReason
from toril.bullmq import AsyncJob, Job
from toril.bullmq.operations.maintain.read_cancellations import READ_CANCELLATIONS
from toril.bullmq.operations.move.cancel_job import CANCEL_JOB
from toril.core.errors import JobFailedError, JobNotFoundError, JobStateError, OutcomeUnknownError
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import ConnectionLost, JobClaimed, JobFailed, JobStopping

BASE = "bull:{mail}:"
OWN = "toril:{mail}:bull:{mail}:"
PATIENCE_S = 5.0


@pytest.fixture
async def queue(redis_url: str) -> AsyncIterator[AsyncQueue]:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        yield queue


async def for_ever(_: AsyncJob) -> None:
    await asyncio.Event().wait()


def until_told(job: Job) -> str:
    wait_until(lambda: job.stopping is StopReason.CANCELLED, "the handler is told")
    return "stopped in the middle"


async def fails_as_cancelled(job: AsyncJob) -> None:
    with pytest.raises(JobFailedError) as failure:
        await job.result(timeout=PATIENCE_S)
    assert failure.value.reason == "cancelled"


@pytest.mark.parametrize("handler", [for_ever, until_told], ids=["on the loop", "in a thread"])
async def test_a_running_job_is_stopped_within_a_second_and_fails_for_good(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis, handler: Callable[[], None]
) -> None:
    loop = asyncio.get_running_loop()
    async with working(handler, redis_url) as work:
        job = await queue.add("film", attempts=5)
        await work.events.next(JobClaimed, job_id=job.id)
        began = loop.time()
        assert await job.cancel() is Cancellation.TOLD
        await work.events.next(JobStopping, job_id=job.id, reason="cancelled")
        assert loop.time() - began < 1
        await fails_as_cancelled(job)
        await work.events.next(JobFailed, job_id=job.id, reason="cancelled")

    stored = redis_client.hmget(f"{BASE}{job.id}", "atm", "ats", "failedReason", "defa")
    assert stored == [b"1", b"1", b"cancelled", None]
    assert work.events.count(JobStopping) == 1


async def test_a_job_is_cancelled_from_a_blocking_program_too(redis_url: str, hire: Hire) -> None:
    began = threading.Event()

    def handle(job: Job) -> str:
        began.set()
        return until_told(job)

    hire(handle, redis_url)

    with Queue("mail", redis_url, emitter=Emitter()) as queue:
        job = queue.add("film")
        assert await asyncio.to_thread(began.wait, PATIENCE_S)
        assert await asyncio.to_thread(queue.jobs.cancel, job.id) is Cancellation.TOLD
        with pytest.raises(JobFailedError, match="cancelled"):
            await asyncio.to_thread(job.result, PATIENCE_S)


async def test_only_the_cancelled_one_of_many_jobs_is_stopped(
    redis_url: str, queue: AsyncQueue
) -> None:
    gate = asyncio.Event()

    async def handle(_: AsyncJob) -> str:
        await gate.wait()
        return "done"

    async with working(handle, redis_url, concurrency=5) as work:
        jobs = await queue.add_many([("film", number) for number in range(5)])
        for job in jobs:
            await work.events.next(JobClaimed, job_id=job.id)
        await jobs[2].cancel()
        await fails_as_cancelled(jobs[2])
        gate.set()
        results = [await job.result(timeout=PATIENCE_S) for job in jobs if job is not jobs[2]]

    assert results == ["done"] * 4
    assert work.events.count(JobStopping) == 1


async def test_ten_cancellations_at_once_are_one(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    async with working(for_ever, redis_url) as work:
        job = await queue.add("film", attempts=3)
        await work.events.next(JobClaimed, job_id=job.id)
        answers = await asyncio.gather(*(job.cancel() for _ in range(10)))
        await fails_as_cancelled(job)

    assert answers == [Cancellation.TOLD] * 10
    assert work.events.count(JobStopping) == 1
    events = [entry[b"event"] for _, entry in redis_client.xrange(f"{BASE}events")]
    assert events.count(b"failed") == 1


async def test_what_is_cancelled_between_claim_and_start_does_not_run(
    queue: AsyncQueue, proxy: Proxy, redis_client: redis.Redis
) -> None:
    """The answer to the claim is on its way to the worker when the job is cancelled."""
    handled: list[str] = []

    async def handle(job: AsyncJob) -> None:
        handled.append(job.id)
        await asyncio.Event().wait()

    async with working(handle, proxy.url) as work:
        await until_asleep(redis_client)
        proxy.hold()
        job = await queue.add("film", attempts=3)
        await until(lambda: redis_client.llen(f"{BASE}active") == 1, "the job is claimed")
        assert await job.cancel() is Cancellation.TOLD
        proxy.speak()
        await work.events.next(JobClaimed, job_id=job.id)
        await fails_as_cancelled(job)

    assert redis_client.hget(f"{BASE}{job.id}", "ats") == b"1"


async def test_a_handler_that_ends_before_it_is_told_has_ended(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    gate = asyncio.Event()

    async def handle(_: AsyncJob) -> str:
        await gate.wait()
        return "done"

    async with working(handle, redis_url) as work:
        job = await queue.add("film")
        await work.events.next(JobClaimed, job_id=job.id)
        assert await job.cancel() is Cancellation.TOLD
        gate.set()
        assert await job.result(timeout=PATIENCE_S) == "done"

    assert redis_client.hget(f"{BASE}{job.id}", "defa") is None
    with pytest.raises(JobStateError, match="is completed, not unfinished"):
        await job.cancel()


async def test_an_attempt_that_fails_before_it_is_told_is_the_last(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    gate = asyncio.Event()

    async def handle(_: AsyncJob) -> str:
        await gate.wait()
        raise ValueError("oops")

    async with working(handle, redis_url) as work:
        job = await queue.add("film", attempts=5, backoff=3600)
        await work.events.next(JobClaimed, job_id=job.id)
        await job.cancel()
        gate.set()
        await fails_as_cancelled(job)

    assert redis_client.hget(f"{BASE}{job.id}", "ats") == b"2"
    assert work.events.count(JobClaimed) == 1


async def test_a_job_whose_worker_is_lost_is_cancelled_when_it_comes_back(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    job = await queue.add("film", attempts=5)
    redis_client.lmove(f"{BASE}wait", f"{BASE}active", "RIGHT", "LEFT")
    redis_client.xadd(f"{BASE}events", {"event": "active", "jobId": job.id, "prev": "waiting"})
    redis_client.sadd(f"{BASE}stalled", job.id)

    assert await job.cancel() is Cancellation.UNTOLD

    async with working(for_ever, redis_url, stalled_interval=0.1) as work:
        await fails_as_cancelled(job)
    assert work.events.count(JobClaimed) == 0


async def test_a_job_that_was_taken_by_hand_is_not_run_again(
    redis_url: str, queue: AsyncQueue
) -> None:
    async with AsyncClaims("mail", redis_url, emitter=Emitter()) as claims:
        job, other = await queue.add_many([("film", 1), ("film", 2)])
        ends_well, fails = await taken(claims), await taken(claims)

        assert await job.cancel() is Cancellation.UNTOLD
        assert await other.cancel() is Cancellation.UNTOLD

        await ends_well.complete("done")
        await fails.fail("oops")
        assert await claims.take(timeout=0) is None
    assert await job.result(timeout=PATIENCE_S) == "done"
    await fails_as_cancelled(other)


async def test_a_worker_that_ends_hears_of_cancellations_until_it_has_ended(
    redis_url: str, queue: AsyncQueue
) -> None:
    async with working(for_ever, redis_url, drain_timeout=PATIENCE_S) as work:
        job = await queue.add("film", attempts=3)
        await work.events.next(JobClaimed, job_id=job.id)
        work.worker.close()
        await job.cancel()
        await fails_as_cancelled(job)
        await work.ended()

    assert (await queue.counts()).failed == 1


async def test_a_job_whose_run_was_cancelled_can_be_retried_by_hand(
    redis_url: str, queue: AsyncQueue
) -> None:
    calls = []

    async def handle(job: AsyncJob) -> str:
        calls.append(job.id)
        if len(calls) == 1:
            await asyncio.Event().wait()
        return "the second time"

    async with working(handle, redis_url) as work:
        job = await queue.add("film")
        await work.events.next(JobClaimed, job_id=job.id)
        await job.cancel()
        await fails_as_cancelled(job)
        await job.retry()
        assert await job.result(timeout=PATIENCE_S) == "the second time"


async def test_a_worker_that_was_out_of_reach_hears_when_it_is_back(
    queue: AsyncQueue, proxy: Proxy
) -> None:
    async with working(for_ever, proxy.url, lock=3) as work:
        job = await queue.add("film")
        await work.events.next(JobClaimed, job_id=job.id)
        proxy.silence()
        await job.cancel()
        await work.events.next(ConnectionLost)
        proxy.speak()
        await fails_as_cancelled(job)


async def test_a_lost_reply_leaves_the_outcome_unknown_and_may_be_asked_again(
    redis_url: str, queue: AsyncQueue, proxy: Proxy
) -> None:
    async with (
        working(for_ever, redis_url) as work,
        AsyncQueue("mail", proxy.url, emitter=Emitter()) as far_away,
    ):
        job = await queue.add("film")
        await work.events.next(JobClaimed, job_id=job.id)
        proxy.cut_after(CANCEL_JOB.sha.encode())
        with pytest.raises(OutcomeUnknownError):
            await far_away.jobs.cancel(job.id)
        await fails_as_cancelled(job)


async def test_a_note_whose_reply_is_lost_is_heard_all_the_same(
    queue: AsyncQueue, proxy: Proxy
) -> None:
    async with working(for_ever, proxy.url) as work:
        job = await queue.add("film")
        await work.events.next(JobClaimed, job_id=job.id)
        proxy.cut_after(READ_CANCELLATIONS.sha.encode())
        await job.cancel()
        await fails_as_cancelled(job)

    assert proxy.cuts == 1
    assert work.events.count(JobStopping) == 1


async def test_what_has_ended_or_never_was_cannot_be_cancelled(
    redis_url: str, queue: AsyncQueue
) -> None:
    async def oops(_: AsyncJob) -> None:
        raise ValueError("oops")

    with pytest.raises(JobNotFoundError):
        await queue.jobs.cancel("nobody")
    async with working(oops, redis_url):
        job = await queue.add("film", attempts=1)
        with pytest.raises(JobFailedError):
            await job.result(timeout=PATIENCE_S)
        with pytest.raises(JobStateError, match="is failed, not unfinished"):
            await job.cancel()


async def test_a_job_that_waits_is_gone_for_whoever_waits_for_it(queue: AsyncQueue) -> None:
    ready, delayed, urgent = await queue.add_many(
        [("a", 1), ("b", 2, {"delay": 60}), ("c", 3, {"priority": 7})]
    )
    waiting = asyncio.create_task(ready.result(timeout=10 * PATIENCE_S))

    answers = [await job.cancel() for job in (ready, delayed, urgent)]

    assert answers == [Cancellation.REMOVED] * 3
    assert sum(asdict(await queue.counts()).values()) == 0
    with pytest.raises(JobNotFoundError):
        await waiting
    with pytest.raises(JobNotFoundError):
        await delayed.cancel()


async def test_ten_cancellations_at_once_remove_a_waiting_job_once(
    queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    job = await queue.add("film")

    answers = await asyncio.gather(*(job.cancel() for _ in range(10)), return_exceptions=True)

    assert answers.count(Cancellation.REMOVED) == 1
    assert sum(isinstance(answer, JobNotFoundError) for answer in answers) == 9
    events = [entry[b"event"] for _, entry in redis_client.xrange(f"{BASE}events")]
    assert events.count(b"removed") == 1


async def test_cancelling_races_with_claiming_and_every_job_has_one_fate(
    redis_url: str, queue: AsyncQueue
) -> None:
    async with working(for_ever, redis_url, concurrency=7) as work:
        jobs = await queue.add_many([("film", number) for number in range(100)])
        await work.events.next(JobClaimed)
        fates = await asyncio.gather(*(job.cancel() for job in reversed(jobs)))
        told = [
            job for job, fate in zip(reversed(jobs), fates, strict=True) if fate.value == "told"
        ]
        for job in told:
            await fails_as_cancelled(job)
        counts = await queue.counts()

    assert set(fates) <= {Cancellation.REMOVED, Cancellation.TOLD}
    assert 0 < len(told) < 100
    assert (counts.failed, counts.waiting, counts.active) == (len(told), 0, 0)


async def test_it_works_on_every_server(every_server: ValkeyServer) -> None:
    async with (
        AsyncQueue("mail", every_server.url, emitter=Emitter()) as queue,
        working(for_ever, every_server.url) as work,
    ):
        job = await queue.add("film")
        await work.events.next(JobClaimed, job_id=job.id)
        assert await job.cancel() is Cancellation.TOLD
        await fails_as_cancelled(job)


async def test_it_works_on_a_cluster(cluster_url: str) -> None:
    async with (
        AsyncQueue("mail", cluster_url, emitter=Emitter()) as queue,
        working(for_ever, cluster_url) as work,
    ):
        job = await queue.add("film")
        await work.events.next(JobClaimed, job_id=job.id)
        assert await job.cancel() is Cancellation.TOLD
        await fails_as_cancelled(job)


@pytest.mark.parametrize("token", ["0", "8a9b-uuid:7", "a b:x0:1", "w:x0:", "", "::", "w:x0:1:"])
async def test_a_lock_that_is_not_torils_tells_nobody(
    queue: AsyncQueue, redis_client: redis.Redis, keyspace: KeyspaceGuard, token: str
) -> None:
    keyspace.ignore("I5")
    job = await queue.add("film")
    redis_client.lmove(f"{BASE}wait", f"{BASE}active", "RIGHT", "LEFT")
    redis_client.xadd(f"{BASE}events", {"event": "active", "jobId": job.id, "prev": "waiting"})
    redis_client.set(f"{BASE}{job.id}:lock", token, px=60_000)

    assert await job.cancel() is Cancellation.UNTOLD

    assert redis_client.keys(f"{OWN}cancel:*") == []
    assert redis_client.hget(f"{BASE}{job.id}", "defa") == b"cancelled"
