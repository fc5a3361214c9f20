"""The doctor beside workers that go on, on a cluster, and beside nine others."""

import asyncio

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard

from toril import AsyncJob, AsyncQueue, AsyncWorker
from toril.bullmq import AsyncDoctor
from toril.connection import AsyncRunner
from toril.core.errors import TransientError
from toril.telemetry.emitter import Emitter

BASE = "bull:{mail}:"


async def restless(job: AsyncJob) -> None:
    """Fail once in a while, so that jobs wander through every state."""
    if int(job.id) % 5 == 0 and not job.attempts_made:
        raise TransientError("again")


async def test_what_moves_is_not_taken_for_lost(redis_url: str) -> None:
    async with AsyncQueue("mail", redis_url) as queue, AsyncDoctor("mail", redis_url) as doctor:
        worker = AsyncWorker("mail", restless, redis_url, concurrency=50, emitter=Emitter())
        running = asyncio.create_task(worker.run(handle_signals=False))
        examinations = []
        for _ in range(3):
            jobs = [("n", {"text": "x" * 500}, {"backoff": 0.05})] * 800
            adding = asyncio.create_task(queue.add_many(jobs))  # type: ignore[arg-type]
            examinations.append(await doctor.examine())
            await adding
        worker.close()
        await running

    assert [list(one.findings) for one in examinations] == [[]] * 3
    assert examinations[-1].jobs > 800


async def test_what_was_wrong_at_the_first_look_alone_is_no_finding(
    redis_url: str, redis_client: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More of it than one picture of the second look has: its other jobs are in the next."""
    names = [f"{BASE}{number}" for number in range(1, 26)]

    async def put_back(_: AsyncRunner, __: float) -> None:
        [redis_client.rename(f"elsewhere {name}", name) for name in names]

    monkeypatch.setattr(AsyncRunner, "rest", put_back)
    async with AsyncQueue("mail", redis_url) as queue, AsyncDoctor("mail", redis_url) as doctor:
        await queue.add_many([("n", number) for number in range(25)])
        [redis_client.rename(name, f"elsewhere {name}") for name in names]

        examination = await doctor.examine()

    assert list(examination.findings) == []


async def test_ten_doctors_put_a_job_back_once(
    redis_url: str, redis_client: redis.Redis, keyspace: KeyspaceGuard
) -> None:
    keyspace.ignore("I29")
    async with AsyncQueue("mail", redis_url) as queue, AsyncDoctor("mail", redis_url) as doctor:
        await queue.add("n")
        redis_client.delete(BASE + "wait")
        found = await doctor.examine()

        healed = await asyncio.gather(*(doctor.heal(found) for _ in range(10)))

    deeds = sorted(list(one.deeds) for [one] in healed)
    assert deeds == [[]] * 9 + [["restored"]]
    assert redis_client.lrange(BASE + "wait", 0, -1) == [b"1"]


async def test_what_is_in_order_again_is_left_alone(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", redis_url) as queue, AsyncDoctor("mail", redis_url) as doctor:
        await queue.add("n")
        redis_client.rename(BASE + "wait", BASE + "elsewhere")
        found = await doctor.examine()
        redis_client.rename(BASE + "elsewhere", BASE + "wait")

        healed = await doctor.heal(found)

    assert ("I3", "1") in [one.finding.place for one in healed]
    assert [list(one.deeds) for one in healed] == [[]] * len(healed)


async def test_a_queue_on_a_cluster_is_examined(cluster_url: str) -> None:
    async with AsyncQueue("doctored", cluster_url) as queue:
        await queue.add("n")
    async with AsyncDoctor("doctored", cluster_url) as doctor:
        examination = await doctor.examine()

    assert (examination.jobs, list(examination.findings)) == (1, [])
