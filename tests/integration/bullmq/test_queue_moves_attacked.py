"""Moves of a whole queue under attack: lost replies, and many at the same time."""

import asyncio
import threading

import pytest
import redis
from tests.integration.bullmq.rigs import Hire
from tests.integration.bullmq.workers import until
from tests.support.proxy import Proxy

from toril import AsyncQueue, Job, PermanentError
from toril.bullmq.operations.clear.clean_jobs import CLEAN_JOBS
from toril.bullmq.operations.clear.drain_jobs import DRAIN_JOBS
from toril.bullmq.operations.clear.obliterate import OBLITERATE
from toril.bullmq.operations.clear.sweep import SWEEP
from toril.bullmq.operations.maintain.pause import PAUSE
from toril.bullmq.operations.maintain.resume import RESUME
from toril.bullmq.operations.move.promote_jobs import PROMOTE_JOBS
from toril.core.errors import OutcomeUnknownError
from toril.core.script import Script
from toril.telemetry.emitter import Emitter


@pytest.mark.parametrize("script", [PAUSE, RESUME])
async def test_a_pause_and_a_resume_whose_reply_is_lost_are_sent_again(
    proxy: Proxy, redis_client: redis.Redis, script: Script
) -> None:
    async with AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue:
        await queue.add_many([("n", number) for number in range(3)])
        proxy.cut_after(script.sha.encode())

        await queue.pause()
        assert await queue.is_paused()
        await queue.resume()
        assert not await queue.is_paused()

    assert proxy.cuts == 1
    assert redis_client.lrange("bull:{mail}:wait", 0, -1) == [b"3", b"2", b"1"]


async def test_promoting_all_whose_reply_is_lost_promotes_each_job_once(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue:
        await queue.add_many(("n", number, {"delay": 60}) for number in range(1_500))
        proxy.cut_after(PROMOTE_JOBS.sha.encode())

        await queue.jobs.promote_all()

        assert (await queue.counts()).waiting == 1_500
    assert proxy.cuts == 1
    assert len(set(redis_client.lrange("bull:{mail}:wait", 0, -1))) == 1_500


async def test_jobs_that_fail_again_while_all_are_retried_are_not_retried_twice(
    redis_url: str, hire: Hire, redis_client: redis.Redis
) -> None:
    def fail(job: Job) -> None:
        raise PermanentError(job.name)

    hire(fail, redis_url, concurrency=50)
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        jobs = await queue.add_many(("n", number, {"attempts": 1}) for number in range(1_500))
        await until(lambda: redis_client.zcard("bull:{mail}:failed") == len(jobs), "all failed")

        assert await queue.jobs.retry_all() == len(jobs)

        await until(lambda: redis_client.zcard("bull:{mail}:failed") == len(jobs), "all failed")
        runs = [redis_client.hget(f"bull:{{mail}}:{job.id}", "ats") for job in jobs]
    assert set(runs) == {b"2"}


async def test_ten_that_pause_and_resume_at_once_lose_no_job(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:

        async def storm() -> None:
            for _ in range(5):
                await queue.pause()
                await queue.add("n")
                await queue.resume()
                await queue.add("n")

        await asyncio.gather(*(storm() for _ in range(10)))

        assert not await queue.is_paused()
    assert redis_client.llen("bull:{mail}:wait") == 100


async def test_draining_and_obliterating_go_on_after_a_lost_reply(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue:
        await queue.add_many(("n", number) for number in range(1_500))
        proxy.cut_after(DRAIN_JOBS.sha.encode())
        await queue.drain()
        assert (await queue.counts()).waiting == 0

        await queue.add_many(("n", number) for number in range(1_500))
        for script in (OBLITERATE, SWEEP):
            proxy.cut_after(script.sha.encode())
        await queue.obliterate()

    assert proxy.cuts == 3
    assert redis_client.keys("*") == []


async def test_cleaning_whose_reply_is_lost_says_that_ids_are_unknown(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue:
        await queue.add("n")
        proxy.cut_after(CLEAN_JOBS.sha.encode())

        with pytest.raises(OutcomeUnknownError):
            await queue.jobs.clean("waiting")

    assert not redis_client.exists("bull:{mail}:1")


async def test_draining_beside_workers_and_producers_loses_no_job_that_was_not_drained(
    redis_url: str, hire: Hire
) -> None:
    ran: set[str] = set()
    worker = hire(lambda job: ran.add(job.id), redis_url, concurrency=20)
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        added, drained = 0, 0
        for _ in range(20):
            added += len(await queue.add_many(("n", number) for number in range(100)))
            drained += await queue.drain()
        await until(lambda: len(ran) == added - drained, "what was not drained has run")
        assert await asyncio.to_thread(worker.until_idle, 10)

        counts = await queue.counts()
    assert counts.completed == added - drained
    assert counts.waiting == counts.active == 0


async def test_ten_that_obliterate_a_queue_at_once_leave_nothing(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        await queue.add_many(("n", number) for number in range(2_500))

        await asyncio.gather(*(queue.obliterate() for _ in range(10)))

    assert redis_client.keys("*") == []


async def test_a_queue_is_obliterated_under_its_workers_by_force(
    redis_url: str, hire: Hire, redis_client: redis.Redis
) -> None:
    began, may_end = threading.Event(), threading.Event()

    def hold(_job: Job) -> None:
        began.set()
        may_end.wait(10)

    worker = hire(hold, redis_url, concurrency=2)
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        await queue.add_many(("n", number) for number in range(10))
        await until(began.is_set, "a job runs")

        await queue.obliterate(force=True)
        may_end.set()
        worker.close()
        job = await queue.add("after")

    assert job.id == "1"
    assert redis_client.lrange("bull:{mail}:wait", 0, -1) == [b"1"]
