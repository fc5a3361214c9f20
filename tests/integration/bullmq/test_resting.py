"""Workers with a limiter, and handlers that ask for a rest because somebody else limits them."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from time import monotonic

import pytest
import redis
from tests.integration.bullmq.rigs import Hire
from tests.integration.bullmq.workers import until, working
from tests.support.proxy import Proxy

from toril import AsyncQueue, AsyncWorker, RateLimit, RateLimited
from toril.bullmq import AsyncJob, Job
from toril.bullmq.operations.finish.return_jobs import RETURN_JOBS
from toril.core.errors import BadInputError
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import JobClaimed, JobCompleted, JobFailed, JobRateLimited

BASE = "bull:{mail}:"
REST_S = 0.3


@pytest.fixture
async def queue(redis_url: str) -> AsyncIterator[AsyncQueue]:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        yield queue


class Service:
    """A service that wants a rest after so many calls, and then is content."""

    def __init__(self, calls: int) -> None:
        self._calls = calls
        self.asked_at = 0.0
        self.called_at: list[float] = []

    async def __call__(self, _: AsyncJob) -> None:
        self.called_at.append(monotonic())
        if len(self.called_at) == self._calls:
            self.asked_at = monotonic()
            raise RateLimited(for_=REST_S)


async def ready(_: AsyncJob) -> None:
    return


@pytest.mark.parametrize("limits", [{}, {"limiter": RateLimit(1_000, 60)}], ids=["none", "own"])
async def test_a_worker_rests_as_long_as_its_handler_says_and_goes_on_in_time(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis, limits: dict[str, RateLimit]
) -> None:
    service = Service(calls=3)
    await queue.add_many([("n", number, {"attempts": 1}) for number in range(6)])
    async with working(service, redis_url, **limits) as work:
        limited = await work.events.next(JobRateLimited)
        for _ in range(6):
            await work.events.next(JobCompleted)

    assert (limited.job_id, limited.delay_ms) == ("3", 300)
    after = [moment for moment in service.called_at if moment > service.asked_at]
    assert len(service.called_at) == 7
    assert REST_S - 0.01 <= after[0] - service.asked_at < 2
    assert redis_client.hmget(f"{BASE}3", "atm", "ats", "stc") == [b"1", b"2", None]


async def test_jobs_that_are_added_during_a_rest_wait_with_the_others(
    redis_url: str, queue: AsyncQueue
) -> None:
    service = Service(calls=1)
    async with working(service, redis_url, concurrency=1) as work:
        await queue.add("first")
        await work.events.next(JobRateLimited)
        await queue.add_many([("n", number) for number in range(3)])
        for _ in range(4):
            await work.events.next(JobCompleted)

    assert min(service.called_at[1:]) - service.asked_at >= REST_S - 0.01


async def test_of_jobs_that_ask_together_the_longest_rest_is_kept(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    gate = asyncio.Barrier(10)

    async def handle(job: AsyncJob) -> None:
        await gate.wait()
        raise RateLimited(for_=60 if job.data == 4 else 0.05)

    await queue.add_many([("n", number) for number in range(10)])
    async with working(handle, redis_url, concurrency=10) as work:
        for _ in range(10):
            await work.events.next(JobRateLimited)
        left_ms = redis_client.pttl(f"{BASE}limiter")

    assert 50_000 < left_ms <= 60_000
    assert redis_client.llen(f"{BASE}wait") == 10


async def test_a_blocking_handler_may_ask_for_a_rest(
    redis_url: str, redis_client: redis.Redis, queue: AsyncQueue, hire: Hire
) -> None:
    runs: list[str] = []

    def handle(job: Job) -> RateLimited | None:
        runs.append(job.id)
        return RateLimited(for_=timedelta(milliseconds=100)) if len(runs) == 1 else None

    hire(handle, redis_url)
    await queue.add("n")
    await until(lambda: redis_client.zcard(f"{BASE}completed") == 1, "it is completed")

    assert runs == ["1", "1"]


async def test_a_rest_whose_reply_is_lost_is_one_rest(proxy: Proxy, queue: AsyncQueue) -> None:
    service = Service(calls=1)
    proxy.cut_after(RETURN_JOBS.sha.encode())
    async with working(service, proxy.url) as work:
        await queue.add("n", attempts=1)
        await work.events.next(JobCompleted)

    assert (proxy.cuts, len(service.called_at)) == (1, 2)


async def test_a_rest_of_no_time_fails_the_job(redis_url: str, queue: AsyncQueue) -> None:
    async def handle(_: AsyncJob) -> RateLimited:
        return RateLimited(for_=-1)

    async with working(handle, redis_url) as work:
        await queue.add("n")
        failed = await work.events.next(JobFailed)

    assert "for_" in failed.reason


async def test_workers_with_the_same_limiter_share_its_period(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    limiter = RateLimit(4, timedelta(hours=1))
    await queue.add_many([("n", number) for number in range(10)])
    async with (
        working(ready, redis_url, concurrency=8, limiter=limiter) as one,
        working(ready, redis_url, concurrency=8, limiter=limiter) as other,
    ):
        await until(lambda: redis_client.zcard(f"{BASE}completed") == 4, "four are completed")

    assert one.events.count(JobClaimed) + other.events.count(JobClaimed) == 4


async def test_a_limiter_lets_jobs_start_as_soon_as_its_period_is_over(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    await queue.add_many([("n", number) for number in range(6)])
    async with working(ready, redis_url, concurrency=4, limiter=RateLimit(2, 0.15)) as work:
        for _ in range(6):
            await work.events.next(JobCompleted)

    started = sorted(int(redis_client.hget(f"{BASE}{n}", "processedOn")) for n in range(1, 7))
    assert all(later - first >= 149 for first, later in zip(started, started[2:]))  # noqa: B905
    assert started[-1] - started[0] < 2_000


@pytest.mark.parametrize("limiter", [5, {"max": 1, "duration": 1}, (1, 1)])
def test_a_limiter_is_a_rate_limit(limiter: object) -> None:
    with pytest.raises(BadInputError, match="limiter"):
        AsyncWorker("mail", ready, "redis://127.0.0.1:1", limiter=limiter)  # type: ignore[arg-type]


@pytest.mark.parametrize(("most", "duration"), [(0, 1), (1.5, 1), (1, 0), (1, -1), (2**31, 1)])
def test_a_rate_limit_lets_something_start_in_some_time(most: int, duration: float) -> None:
    with pytest.raises(BadInputError):
        RateLimit(most, duration)
