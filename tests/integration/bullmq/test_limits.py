"""A claim respects what the queue's settings say: pauses, limits on active jobs, rate limits."""

import asyncio
from collections.abc import AsyncIterator
from time import monotonic

import pytest
import redis
from tests.integration.bullmq.workers import until, working
from tests.support.virtual_time import pass_time

from toril import AsyncQueue
from toril.bullmq import AsyncJob
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import JobClaimed, JobCompleted

BASE = "bull:{mail}:"


@pytest.fixture
async def queue(redis_url: str) -> AsyncIterator[AsyncQueue]:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        yield queue


async def ready(_: AsyncJob) -> None:
    return


class Crowd:
    """How many run at once, at most."""

    def __init__(self) -> None:
        self.now = self.most = 0

    async def __call__(self, _: AsyncJob) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        await pass_time(0.002)
        self.now -= 1


async def test_a_worker_runs_as_many_jobs_at_once_as_it_may(
    redis_url: str, queue: AsyncQueue
) -> None:
    crowd = Crowd()
    await queue.add_many([("n", number) for number in range(60)])
    async with working(crowd, redis_url, concurrency=7) as work:
        for _ in range(60):
            await work.events.next(JobCompleted)

    assert crowd.most == 7


async def test_no_more_jobs_are_active_than_the_queue_allows(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    crowd = Crowd()
    redis_client.hset(f"{BASE}meta", "concurrency", 3)
    await queue.add_many([("n", number) for number in range(60)])
    async with (
        working(crowd, redis_url, concurrency=20),
        working(crowd, redis_url, concurrency=20),
    ):
        await _until_completed(redis_client, 60)

    assert crowd.most == 3


async def test_a_rate_limit_is_kept_and_no_time_is_lost_between_its_windows(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    window_ms = 150
    await queue.add_many([("n", number) for number in range(8)])
    redis_client.hset(f"{BASE}meta", mapping={"max": 2, "duration": window_ms})

    began = monotonic()
    async with working(ready, redis_url, concurrency=4) as work:
        for _ in range(8):
            await work.events.next(JobCompleted)
    took_ms = (monotonic() - began) * 1_000

    started = sorted(int(redis_client.hget(f"{BASE}{n}", "processedOn")) for n in range(1, 9))
    assert all(later - first >= window_ms - 1 for first, later in zip(started, started[2:]))  # noqa: B905
    assert 3 * window_ms <= took_ms < 2_000


async def test_a_rate_limit_holds_for_all_workers_together(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    await queue.add_many([("n", number) for number in range(10)])
    redis_client.hset(f"{BASE}meta", mapping={"max": 4, "duration": 3_600_000})
    async with working(ready, redis_url, concurrency=8), working(ready, redis_url, concurrency=8):
        await _until_completed(redis_client, 4)
        counts = await queue.counts()

    assert (counts.completed, counts.waiting) == (4, 6)


async def test_a_paused_queue_rests_until_it_is_resumed(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    redis_client.hset(f"{BASE}meta", "paused", 1)
    await queue.add("waits", job_id="waits")
    await queue.add("urgent", job_id="urgent", priority=1)
    async with working(ready, redis_url) as work:
        delayed = await queue.add("due", delay=0.05)
        await until(
            lambda: delayed.id.encode() in redis_client.lrange(f"{BASE}paused", 0, -1),
            "the delayed job is put to the others",
        )
        counts = await queue.counts()
        assert work.events.count(JobClaimed) == 0

        _resume(redis_client)
        for _ in range(3):
            await work.events.next(JobCompleted)

    assert (counts.paused, counts.prioritized, counts.waiting, counts.active) == (2, 1, 0, 0)


async def test_what_ends_while_the_queue_is_paused_goes_to_the_paused(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    began, gate = asyncio.Event(), asyncio.Event()

    async def handle(_: AsyncJob) -> None:
        began.set()
        await gate.wait()
        raise ValueError("again")

    async with working(handle, redis_url):
        await queue.add("n", attempts=2, backoff=None)
        await began.wait()
        redis_client.hset(f"{BASE}meta", "paused", 1)
        gate.set()
        await until(lambda: redis_client.llen(f"{BASE}paused") == 1, "it is among the paused")
        counts = await queue.counts()

    assert (counts.paused, counts.active, counts.waiting) == (1, 0, 0)


async def test_a_worker_may_pause_by_itself(redis_url: str, queue: AsyncQueue) -> None:
    async with working(ready, redis_url) as work, working(ready, redis_url) as other:
        work.worker.pause()
        for _ in range(5):
            await queue.add("n")
            await other.events.next(JobCompleted)
        other.worker.pause()
        work.worker.resume()
        await queue.add("n")
        await work.events.next(JobCompleted)

    assert work.events.count(JobClaimed) == 1


def _resume(client: redis.Redis) -> None:
    """As every client of the queue does it."""
    client.hdel(f"{BASE}meta", "paused")
    client.rename(f"{BASE}paused", f"{BASE}wait")
    client.zadd(f"{BASE}marker", {"0": 0})


async def _until_completed(client: redis.Redis, count: int) -> None:
    await until(lambda: client.zcard(f"{BASE}completed") >= count, f"{count} are completed")
