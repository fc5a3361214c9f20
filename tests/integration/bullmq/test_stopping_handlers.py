"""A handler that is to stop is told, and what becomes of its job is stored."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable

import pytest
import redis
from tests.integration.bullmq.workers import Working, working
from tests.support.servers import wait_until
from tests.support.virtual_time import pass_time

from toril import AsyncQueue, StopReason
from toril.bullmq import AsyncJob, Job
from toril.core.errors import JobFailedError
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import (
    ExchangeFailed,
    JobAbandoned,
    JobClaimed,
    JobRetried,
    JobStopping,
    JobSuperseded,
    LeaseLost,
)

BASE = "bull:{mail}:"
PATIENCE_S = 5.0


@pytest.fixture
async def queue(redis_url: str) -> AsyncIterator[AsyncQueue]:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        yield queue


async def for_ever(_: AsyncJob) -> None:
    await asyncio.Event().wait()


def until_told(job: Job) -> str:
    """Looks whether it is to stop, as a plain function must."""
    wait_until(lambda: job.stopping is not None, "the handler is told")
    return "too late"


@pytest.mark.parametrize("handler", [for_ever, until_told], ids=["on the loop", "in a thread"])
async def test_an_attempt_that_takes_too_long_fails_and_is_tried_again(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis, handler: Callable[[], None]
) -> None:
    async with working(handler, redis_url, timeout=0.05) as work:
        job = await queue.add("slow", attempts=2, backoff=None)
        with pytest.raises(JobFailedError, match="the handler did not end within"):
            await job.result(timeout=PATIENCE_S)
        await work.events.next(JobRetried, reason="the handler did not end within 0.05 s")

    assert redis_client.hmget(f"{BASE}{job.id}", "atm", "ats") == [b"2", b"2"]
    traces = json.loads(redis_client.hget(f"{BASE}{job.id}", "stacktrace") or b"")
    assert len(traces) == 2
    assert ("CancelledError" in traces[0]) == (handler is for_ever)


async def test_the_timeout_of_a_job_goes_before_its_workers(
    redis_url: str, queue: AsyncQueue
) -> None:
    async def handle(_: AsyncJob) -> str:
        await pass_time(0.2)
        return "in time"

    async with working(handle, redis_url, timeout=0.01):
        job = await queue.add("slow", timeout=PATIENCE_S)
        assert await job.result(timeout=PATIENCE_S) == "in time"


async def test_a_thread_that_goes_on_is_given_up_and_its_job_is_tried_again(
    redis_url: str, queue: AsyncQueue
) -> None:
    gate, calls = threading.Event(), []

    def deaf_at_first(job: Job) -> str:
        calls.append(job.id)
        if len(calls) == 1:
            assert gate.wait(10)
            return "too late"
        return "the second attempt"

    async with working(deaf_at_first, redis_url, timeout=0.05, concurrency=2) as work:
        job = await queue.add("slow", backoff=None)
        assert await job.result(timeout=PATIENCE_S) == "the second attempt"
        await work.events.next(JobAbandoned, job_id=job.id)
        assert work.worker.health().stuck == 1
        gate.set()

    assert work.worker.health().stuck == 0


async def lose(work: Working, redis_client: redis.Redis, job_id: str) -> None:
    """As if the worker had been silent for so long that another one has the job."""
    await work.events.next(JobClaimed, job_id=job_id)
    redis_client.set(f"{BASE}{job_id}:lock", "another", px=60_000)


async def end_elsewhere(redis_client: redis.Redis, job_id: str) -> None:
    """What the other worker leaves: the job runs there, and is done."""
    redis_client.lrem(f"{BASE}active", 0, job_id)
    redis_client.delete(f"{BASE}{job_id}:lock")
    redis_client.hset(f"{BASE}{job_id}", mapping={"returnvalue": '"theirs"', "finishedOn": 1})
    redis_client.zadd(f"{BASE}completed", {job_id: 1})
    event = {"event": "completed", "jobId": job_id, "returnvalue": '"theirs"', "prev": "active"}
    redis_client.xadd(f"{BASE}events", event)


async def test_a_coroutine_whose_lease_is_lost_is_cancelled_and_told_why(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    seen: list[StopReason | None] = []

    async def handle(job: AsyncJob) -> str:
        seen.append(job.stopping)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append(job.stopping)
        return "ours"

    async with working(handle, redis_url, lock=0.3) as work:
        job = await queue.add("contested")
        await lose(work, redis_client, job.id)
        await work.events.next(LeaseLost, job_id=job.id)
        await work.events.next(JobSuperseded, job_id=job.id)
        await end_elsewhere(redis_client, job.id)

    assert seen == [None, StopReason.LEASE_LOST]
    assert await job.result(timeout=PATIENCE_S) == "theirs"
    assert work.events.count(JobSuperseded) == 1
    assert work.events.count(LeaseLost) == 1
    assert work.events.count(JobStopping) == 0
    assert work.events.count(ExchangeFailed) == 0


async def test_a_thread_whose_lease_is_lost_sees_it_and_its_result_is_dropped(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    async with working(until_told, redis_url, lock=0.3) as work:
        job = await queue.add("contested")
        await lose(work, redis_client, job.id)
        await work.events.next(LeaseLost, job_id=job.id)
        await work.events.next(JobSuperseded, job_id=job.id)
        await end_elsewhere(redis_client, job.id)

    assert await job.result(timeout=PATIENCE_S) == "theirs"
    assert work.events.count(JobSuperseded) == 1
    assert work.events.count(ExchangeFailed) == 0
