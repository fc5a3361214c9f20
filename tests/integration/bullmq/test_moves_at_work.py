"""Moves of jobs beside workers, among rivals, and over connections that break."""

import asyncio
from contextlib import suppress

import pytest
import redis
from tests.integration.bullmq.workers import until, working
from tests.support.fleets import ValkeyCluster
from tests.support.proxy import Proxy

from toril import AsyncJob, AsyncQueue
from toril.bullmq.operations.move.change_priority import CHANGE_PRIORITY
from toril.bullmq.operations.move.promote_job import PROMOTE_JOB
from toril.bullmq.operations.move.remove_job import REMOVE_JOB
from toril.core.errors import JobFailedError, JobLockedError, JobStateError, OutcomeUnknownError
from toril.telemetry.emitter import Emitter

BASE = "bull:{mail}:"


async def test_a_sleeping_worker_takes_a_promoted_job_at_once(redis_url: str) -> None:
    async def handle(job: AsyncJob) -> str:
        return job.id

    async with AsyncQueue("mail", redis_url) as queue, working(handle, redis_url):
        first = await queue.add("n")
        await first.result(timeout=5)
        delayed = await queue.add("n", delay=600)
        await delayed.promote()

        assert await delayed.result(timeout=5) == delayed.id


async def test_a_job_that_is_retried_runs_again(redis_url: str) -> None:
    runs: list[str] = []

    async def handle(job: AsyncJob) -> int:
        runs.append(job.id)
        if len(runs) == 1:
            raise ValueError("not yet")
        return len(runs)

    async with AsyncQueue("mail", redis_url) as queue, working(handle, redis_url):
        job = await queue.add("n", attempts=1)
        with pytest.raises(JobFailedError):
            await job.result(timeout=5)
        await job.retry()

        assert await job.result(timeout=5) == 2


@pytest.mark.parametrize("verb", ["promote", "retry"])
async def test_of_ten_who_move_a_job_at_once_one_does(
    redis_url: str, redis_client: redis.Redis, verb: str
) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n", delay=60)
        if verb == "retry":
            redis_client.zrem(BASE + "delayed", "1")
            redis_client.zadd(BASE + "failed", {"1": 5})
            redis_client.hset(BASE + "1", mapping={"failedReason": "no", "finishedOn": 5})
        moves = [getattr(job, verb)() for _ in range(10)]
        ends = await asyncio.gather(*moves, return_exceptions=True)

    assert sum(end is None for end in ends) == 1
    assert sum(isinstance(end, JobStateError) for end in ends) == 9
    assert redis_client.lrange(BASE + "wait", 0, -1) == [b"1"]


async def test_a_move_whose_reply_is_lost_is_not_sent_twice(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue:
        job = await queue.add("n", delay=60)
        proxy.cut_after(PROMOTE_JOB.sha.encode())
        with pytest.raises(OutcomeUnknownError):
            await job.promote()

        assert await job.state() == "waiting"
    events = [fields[b"event"] for _, fields in redis_client.xrange(BASE + "events")]
    assert events.count(b"waiting") == 1


async def test_a_priority_whose_reply_is_lost_is_set_all_the_same(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue:
        job = await queue.add("n")
        proxy.cut_after(CHANGE_PRIORITY.sha.encode())

        await job.change_priority(4)

    assert proxy.cuts == 1
    assert redis_client.zrange(BASE + "prioritized", 0, -1) == [b"1"]
    assert redis_client.llen(BASE + "wait") == 0


async def test_of_ten_who_remove_a_job_at_once_one_does(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue:
        job = await queue.add("n")
        removed = await asyncio.gather(*(job.remove() for _ in range(10)))

    assert sorted(removed) == [False] * 9 + [True]


async def test_a_job_that_is_removed_while_it_waits_never_runs(
    redis_url: str, redis_client: redis.Redis
) -> None:
    ran: list[str] = []

    async def handle(job: AsyncJob) -> None:
        ran.append(job.id)

    async def remove(job: AsyncJob) -> None:
        with suppress(JobLockedError):
            await job.remove()

    async with AsyncQueue("mail", redis_url) as queue:
        jobs = await queue.add_many([("n", number) for number in range(100)])
        async with working(handle, redis_url, concurrency=5):
            await asyncio.gather(*map(remove, reversed(jobs)))
            await until(lambda: not redis_client.exists(BASE + "wait"), "no job waits")

    events = [fields for _, fields in redis_client.xrange(BASE + "events")]
    removed = {event[b"jobId"].decode() for event in events if event.get(b"prev") == b"wait"}
    assert len(removed | set(ran)) == 100
    assert not removed & set(ran)


async def test_a_removal_whose_reply_is_lost_is_not_sent_twice(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue:
        job = await queue.add("n")
        proxy.cut_after(REMOVE_JOB.sha.encode())
        with pytest.raises(OutcomeUnknownError):
            await job.remove()

        assert await job.state() is None
    assert redis_client.xrevrange(BASE + "events", count=1)[0][1][b"event"] == b"removed"


async def test_on_a_cluster_a_relative_out_of_reach_is_left_alone(cluster: ValkeyCluster) -> None:
    queue, far = AsyncQueue("removing", cluster.url), AsyncQueue("elsewhere", cluster.url)
    async with queue, far:
        job, relative = await queue.add("n"), await far.add("n")
        relative_key = f"bull:{{elsewhere}}:{relative.id}"
        with cluster.client() as client:
            client.hset(f"bull:{{removing}}:{job.id}", "parentKey", relative_key)
            client.sadd(f"bull:{{removing}}:{job.id}:dependencies", relative_key)

        assert await job.remove()
        assert await relative.state() == "waiting"
        assert await relative.remove()
