"""What a worker decides about failures is what becomes of its jobs, in every kind of worker."""

import asyncio
from datetime import timedelta

import pytest
from tests.integration.bullmq.rigs import Hire
from tests.integration.bullmq.workers import taken, working

from toril import (
    AsyncClaims,
    AsyncJob,
    AsyncQueue,
    Claims,
    CustomBackoff,
    Failure,
    Job,
    Queue,
)
from toril.core.errors import JobFailedError
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import JobCompleted, JobFailed, JobRetried

LINEAR = CustomBackoff("linear", delay=0.01)


def linear(failure: Failure) -> timedelta | None:
    match failure.backoff:
        case CustomBackoff("linear", timedelta() as step):
            return failure.attempts * step
        case _:
            return None


async def behave(job: AsyncJob) -> int:
    """Fail twice, as the data says."""
    if job.attempts_made < 2:
        raise {"passes": ConnectionError, "stays": ValueError}[str(job.data)](job.data)
    return job.attempts_made


def behave_in_a_thread(job: Job) -> int:
    return asyncio.run(behave(job))  # type: ignore[arg-type]


async def test_failures_that_stay_are_not_tried_again(redis_url: str) -> None:
    async with (
        AsyncQueue("mail", redis_url, emitter=Emitter()) as queue,
        working(behave, redis_url, retry_policy="categorized", backoff_strategy=linear) as work,
    ):
        passes = await queue.add("n", "passes", backoff=LINEAR)
        assert await passes.result(timeout=10) == 2
        retried = [await work.events.next(JobRetried) for _ in range(2)]
        await work.events.next(JobCompleted)
        stays = await queue.add("n", "stays", backoff=LINEAR)
        failed = await work.events.next(JobFailed)
        stored = await queue.get_job(stays.id)

    assert [event.delay_ms for event in retried] == [10, 20]
    assert failed.job_id == stays.id
    assert stored is not None
    assert stored.attempts_made == 1


def test_a_worker_without_a_loop_decides_the_same(redis_url: str, hire: Hire) -> None:
    hire(behave_in_a_thread, redis_url, retry_policy="categorized", backoff_strategy=linear)
    with Queue("mail", redis_url, emitter=Emitter()) as queue:
        assert queue.add("n", "passes", backoff=LINEAR).result(timeout=10) == 2
        with pytest.raises(JobFailedError, match="stays"):
            queue.add("n", "stays", backoff=LINEAR).result(timeout=10)


async def test_functions_that_raise_stop_neither_the_job_nor_the_worker(redis_url: str) -> None:
    asked = asyncio.Event()

    def broken(_: Failure) -> bool:
        asked.set()
        raise SystemError

    async with (
        AsyncQueue("mail", redis_url, emitter=Emitter()) as queue,
        working(
            behave, redis_url, retry_policy=broken, backoff_strategy=broken, max_backoff=0.03
        ) as work,
    ):
        job = await queue.add("n", "stays", backoff=LINEAR)
        assert await job.result(timeout=10) == 2
        retried = [await work.events.next(JobRetried) for _ in range(2)]

    assert asked.is_set()
    assert [event.delay_ms for event in retried] == [30, 30]


async def test_failures_by_hand_are_decided_on_alike(redis_url: str) -> None:
    async with (
        AsyncQueue("mail", redis_url, emitter=Emitter()) as queue,
        AsyncClaims(
            "mail", redis_url, retry_policy="categorized", backoff_strategy=linear
        ) as claims,
    ):
        await queue.add("n", "passes", backoff=LINEAR)
        assert await (await taken(claims)).fail(TimeoutError("t"))
        assert not await (await taken(claims)).fail(ValueError("v"))
        counts = await queue.counts()

    assert (counts.failed, counts.delayed) == (1, 0)


def test_failures_by_hand_without_a_loop_as_well(redis_url: str) -> None:
    with (
        Queue("mail", redis_url, emitter=Emitter()) as queue,
        Claims("mail", redis_url, retry_policy=lambda failure: failure.attempts < 2) as claims,
    ):
        queue.add("n", backoff=None, attempts=9)
        first = claims.take(timeout=5)
        assert first is not None
        assert first.fail("once")
        again = claims.take(timeout=5)
        assert again is not None
        assert not again.fail("twice")
        assert queue.counts().failed == 1
