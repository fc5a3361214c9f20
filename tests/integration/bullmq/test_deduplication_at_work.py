"""Deduplicated jobs while workers work: never two at once, and the last one is not lost."""

import pytest
import redis
from tests.integration.bullmq.workers import until, working
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule

from toril import AsyncJob, AsyncQueue, Deduplication
from toril.bullmq.operations.add.add_jobs import ADD_JOBS
from toril.bullmq.operations.finish.finish_jobs import FINISH_JOBS
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import JobCompleted

BASE = "bull:{mail}:"
LAST = Deduplication("sync", keep_last_if_active=True)


class Alone:
    """A handler that notes what it got, and how many of it ran at once."""

    def __init__(self) -> None:
        self.seen: list[int] = []
        self.running = 0
        self.most = 0

    async def __call__(self, job: AsyncJob) -> None:
        self.running += 1
        self.most = max(self.most, self.running)
        self.seen.append(job.data)
        await job.set_progress(1)
        self.running -= 1


@pytest.mark.parametrize("fault", [None, Fault.LOSE_REPLY, Fault.LOSE_REQUEST])
async def test_jobs_of_one_id_run_one_by_one_and_one_begins_after_the_last_was_added(
    proxy: Proxy, redis_client: redis.Redis, fault: Fault | None
) -> None:
    alone = Alone()
    async with (
        AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue,
        working(alone, proxy.url, concurrency=10),
    ):
        await queue.counts()
        if fault is not None:
            for script in (ADD_JOBS, FINISH_JOBS):
                proxy.add_rule(Rule(script.sha.encode(), fault, every=9))
        for number in range(150):
            begun = len(alone.seen)
            await queue.add("n", number, deduplication=LAST)
        await until(lambda: not redis_client.exists(BASE + "de:sync"), "the last one has ended")

    assert len(alone.seen) > begun
    assert alone.most == 1
    assert alone.seen == sorted(set(alone.seen))
    assert proxy.cuts > 0 or fault is None
    assert redis_client.keys(BASE + "d?:*") == []


async def test_a_batch_of_ends_lets_every_id_go(redis_url: str, redis_client: redis.Redis) -> None:
    alone = Alone()
    async with (
        AsyncQueue("mail", redis_url, emitter=Emitter()) as queue,
        working(alone, redis_url, concurrency=60) as work,
    ):
        jobs = await queue.add_many(
            [("n", n, {"deduplication": Deduplication(f"d{n % 200}")}) for n in range(400)]
        )
        for _ in range(200):
            await work.events.next(JobCompleted)

    assert [job.created for job in jobs] == [True] * 200 + [False] * 200
    assert redis_client.keys(BASE + "de:*") == []
    assert redis_client.zcard(BASE + "completed") == 200


def _specs(count: int) -> list[tuple[str, object]]:
    return [("n", number) for number in range(count)]


async def test_thirty_thousand_jobs_of_one_call_travel_in_requests_of_a_thousand(
    redis_url: str, redis_client: redis.Redis
) -> None:
    """The server is never held up for long. More jobs show nothing else, and take longer."""
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        await queue.add("warm")
        redis_client.config_resetstat()
        jobs = await queue.add_many(_specs(30_000))  # type: ignore[arg-type]

    calls = redis_client.info("commandstats")["cmdstat_evalsha"]
    assert [jobs[0].id, jobs[-1].id] == ["2", "30001"]
    assert redis_client.llen(BASE + "wait") == 30_001
    assert calls["calls"] == 30
    assert calls["usec_per_call"] < 250_000
    redis_client.flushall()
