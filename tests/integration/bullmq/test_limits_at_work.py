"""Workers obey the limits of a queue, and hear at once when they change."""

import asyncio
from time import monotonic

import redis
from tests.integration.bullmq.workers import until_asleep, working
from tests.support.proxy import Proxy

from toril import AsyncJob, AsyncQueue
from toril.bullmq.operations.maintain.limit_rate import LIMIT_RATE
from toril.bullmq.operations.maintain.set_limits import SET_LIMITS
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import JobClaimed, JobCompleted

SOON_S = 1.0
"""A worker that nobody wakes looks for work every five seconds."""


class Gate:
    """A handler that runs until it is let go."""

    def __init__(self) -> None:
        self.open = asyncio.Event()

    async def __call__(self, _: AsyncJob) -> None:
        await self.open.wait()


async def test_a_raised_concurrency_lets_the_next_job_start_at_once(
    redis_url: str, redis_client: redis.Redis
) -> None:
    gate = Gate()
    async with (
        AsyncQueue("mail", redis_url, emitter=Emitter()) as queue,
        working(gate, redis_url, concurrency=3) as work,
    ):
        await queue.limits.set_global_concurrency(1)
        await queue.add_many([("n", 0)] * 3)
        await work.events.next(JobClaimed)
        await until_asleep(redis_client)
        assert await queue.limits.is_maxed()

        began = monotonic()
        await queue.limits.set_global_concurrency(2)
        await work.events.next(JobClaimed)
        await until_asleep(redis_client)
        await queue.limits.remove_global_concurrency()
        await work.events.next(JobClaimed)

        assert monotonic() - began < SOON_S
        gate.open.set()
        for _ in range(3):
            await work.events.next(JobCompleted)


async def test_more_workers_than_may_run_share_what_may(
    redis_url: str, redis_client: redis.Redis
) -> None:
    most = 0

    async def count(_: AsyncJob) -> None:
        nonlocal most
        active = await asyncio.to_thread(redis_client.llen, "bull:{mail}:active")
        most = max(most, active)

    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        await queue.limits.set_global_concurrency(3)
        jobs = await queue.add_many([("n", 0)] * 60)
        async with (
            working(count, redis_url, concurrency=5),
            working(count, redis_url, concurrency=5),
        ):
            await asyncio.gather(*(job.result(timeout=10) for job in jobs))

    assert 1 <= most <= 3


async def test_a_rate_limit_that_is_lifted_lets_the_next_job_start_at_once(
    redis_url: str, redis_client: redis.Redis
) -> None:
    gate = Gate()
    gate.open.set()
    async with (
        AsyncQueue("mail", redis_url, emitter=Emitter()) as queue,
        working(gate, redis_url) as work,
    ):
        await queue.limits.set_global_rate_limit(1, 60)
        await queue.add_many([("n", 0)] * 2)
        await work.events.next(JobCompleted)
        await until_asleep(redis_client)
        assert await queue.limits.rate_limit_ttl() is not None

        began = monotonic()
        await queue.limits.remove_rate_limit()
        await work.events.next(JobCompleted)

        assert monotonic() - began < SOON_S


async def test_ten_who_set_limits_at_the_same_time_leave_a_pair_that_one_of_them_set(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        await asyncio.gather(
            *(queue.limits.set_global_rate_limit(n, n) for n in range(1, 11)),
        )

    most, duration_ms = redis_client.hmget("bull:{mail}:meta", "max", "duration")
    assert int(str(duration_ms, "ascii")) == int(str(most, "ascii")) * 1_000


async def test_limits_whose_reply_is_lost_are_set_all_the_same(
    redis_url: str, proxy: Proxy, redis_client: redis.Redis
) -> None:
    del redis_url
    async with AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue:
        await queue.add("warm")
        for script, change in (
            (SET_LIMITS, queue.limits.set_global_concurrency(5)),
            (SET_LIMITS, queue.limits.set_global_rate_limit(7, 9)),
            (LIMIT_RATE, queue.limits.rate_limit(60)),
        ):
            proxy.cut_after(script.sha.encode())
            await change

        assert proxy.cuts == 3
        assert await queue.limits.rate_limit_ttl() is not None
    stored = redis_client.hmget("bull:{mail}:meta", "concurrency", "max", "duration")
    assert stored == [b"5", b"7", b"9000"]
