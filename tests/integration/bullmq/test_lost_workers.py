"""Jobs of workers that went away are run by others; a job that loses too many workers fails."""

import asyncio
from collections.abc import AsyncIterator

import pytest
import redis
from tests.integration.bullmq.workers import until, until_asleep, working
from tests.support.proxy import Proxy
from tests.support.virtual_time import pass_time

from toril import AsyncQueue
from toril.bullmq import AsyncJob
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import (
    GhostDropped,
    JobClaimed,
    JobCompleted,
    JobFailed,
    JobsRecovered,
    JobSuperseded,
    LeaseLost,
)

BASE = "bull:{mail}:"
SOON = {"stalled_interval": 0.1, "lock": 0.6}
"""A check for stalls so often that a test need not wait for it."""


@pytest.fixture
async def queue(redis_url: str) -> AsyncIterator[AsyncQueue]:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        yield queue


async def for_ever(_: AsyncJob) -> None:
    await asyncio.Event().wait()


async def ready(_: AsyncJob) -> None:
    return


async def test_a_worker_that_lives_keeps_its_job_beyond_its_lock(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    async def outlast_the_lock(_: AsyncJob) -> None:
        await pass_time(1.3)

    async with (
        working(outlast_the_lock, redis_url, **SOON) as work,
        working(ready, redis_url, **SOON) as other,
    ):
        other.worker.pause()
        await queue.add("n")
        await work.events.next(JobCompleted)

    assert redis_client.hmget(f"{BASE}1", "stc", "ats") == [None, b"1"]
    assert other.events.count(JobsRecovered) == 0


async def test_the_jobs_of_a_worker_that_is_cut_off_are_run_by_another(
    proxy: Proxy, redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    """As after a SIGKILL: nothing is given back, and the leases end by themselves."""
    async with working(for_ever, proxy.url, concurrency=3, **SOON) as lost:
        jobs = await queue.add_many([("n", number) for number in range(3)])
        for _ in jobs:
            await lost.events.next(JobClaimed)
        proxy.silence()

        async with working(ready, redis_url, concurrency=3, **SOON) as other:
            recovered = await other.events.next(JobsRecovered)
            for _ in jobs:
                await other.events.next(JobCompleted)
        proxy.speak()
        proxy.drop_all()
        for _ in jobs:
            await lost.events.next(LeaseLost)

    assert set(recovered.recovered) == {"1", "2", "3"}
    assert recovered.exhausted == ()
    for job in jobs:
        assert redis_client.hmget(BASE + job.id, "stc", "atm", "ats") == [b"1", b"1", b"2"]
    assert redis_client.zcard(f"{BASE}completed") == 3


async def test_a_claim_whose_answer_comes_too_late_is_not_run(
    proxy: Proxy, redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    """As after a SIGSTOP: the answer was there, and nobody to read it."""
    async with working(ready, proxy.url, **SOON) as late:
        await queue.add("n")
        await late.events.next(JobCompleted)
        await until_asleep(redis_client)
        proxy.hold()
        await queue.add("n")
        await until(lambda: redis_client.lrange(f"{BASE}active", 0, -1) == [b"2"], "it has claimed")

        async with working(ready, redis_url, **SOON) as other:
            await other.events.next(JobCompleted, job_id="2")
        proxy.speak()
        await queue.add("n")
        await late.events.next(JobCompleted, job_id="3")

    assert late.events.count(JobClaimed) == 2


async def test_the_outcome_of_a_worker_that_comes_back_too_late_is_dropped(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    began, gate = asyncio.Event(), asyncio.Event()

    async def slow(_: AsyncJob) -> str:
        began.set()
        await gate.wait()
        return "too late"

    async def quick(_: AsyncJob) -> str:
        return "in time"

    async with working(slow, redis_url, **SOON) as late:
        job = await queue.add("n")
        await began.wait()
        redis_client.delete(f"{BASE}{job.id}:lock")
        async with working(quick, redis_url, **SOON) as other:
            await other.events.next(JobCompleted)
        gate.set()
        await late.events.next(JobSuperseded)

        assert await job.result(timeout=5) == "in time"


async def test_a_job_that_loses_too_many_workers_fails_without_being_run_again(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    ran: list[str] = []

    async def die(job: AsyncJob) -> None:
        ran.append(job.id)
        redis_client.delete(f"{BASE}{job.id}:lock")
        await asyncio.Event().wait()

    async with working(die, redis_url, max_stalled=1, concurrency=2, **SOON) as work:
        job = await queue.add("n", attempts=9)
        first = await work.events.next(JobsRecovered)
        second = await work.events.next(JobsRecovered)
        failure = await work.events.next(JobFailed, job_id=job.id)

    assert first.exhausted == ()
    assert second.exhausted == (job.id,)
    assert "stalled more than allowable limit" in failure.reason
    assert ran == [job.id] * 2
    stored = redis_client.hgetall(BASE + job.id)
    assert stored[b"stc"] == b"2"
    assert b"defa" not in stored


async def test_an_active_id_without_a_job_is_dropped(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    await queue.add("n", delay=3_600)
    redis_client.lpush(f"{BASE}active", "ghost")
    async with working(ready, redis_url, **SOON) as work:
        await work.events.next(GhostDropped, job_id="ghost")

    assert redis_client.llen(f"{BASE}active") == 0


async def test_two_workers_share_five_hundred_jobs_and_run_each_once(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    runs: list[str] = []

    async def note(job: AsyncJob) -> None:
        runs.append(job.id)

    async with (
        working(note, redis_url, concurrency=10),
        working(note, redis_url, concurrency=60),
    ):
        await queue.add_many([("n", number) for number in range(250)])
        await asyncio.gather(*(queue.add("n", number) for number in range(250)))
        await until(lambda: redis_client.zcard(f"{BASE}completed") == 500, "all are completed")

    assert sorted(map(int, runs)) == list(range(1, 501))


async def test_a_waiting_id_with_a_strangers_hash_is_dropped_at_once(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    await queue.add("n", delay=3_600)
    redis_client.hset(f"{BASE}stranger", mapping={"atm": 1, "colour": "red"})
    async with working(ready, redis_url) as work:
        redis_client.lpush(f"{BASE}wait", "stranger")
        redis_client.zadd(f"{BASE}marker", {"0": 0})

        await work.events.next(GhostDropped, job_id="stranger")

    assert work.events.count(JobClaimed) == 0
    redis_client.delete(f"{BASE}stranger")
