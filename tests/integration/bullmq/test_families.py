"""Jobs and their children at work: parents wait, hear of every end once, and go on."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest
import redis
from tests.integration.bullmq.workers import until, working
from tests.support.families import BASE, adopt, make_family
from tests.support.proxy import Proxy

from toril import AsyncQueue, WaitForChildren
from toril.bullmq import AsyncJob
from toril.bullmq.operations.finish.await_children import AWAIT_CHILDREN
from toril.bullmq.operations.finish.finish_linked import FINISH_LINKED
from toril.core.errors import ChildFailedError, ChildrenPendingError
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import (
    JobCompleted,
    JobFailed,
    JobGivenBack,
    JobRetried,
    JobSuperseded,
    JobWaits,
)


@pytest.fixture
async def queue(redis_url: str) -> AsyncIterator[AsyncQueue]:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        yield queue


class Steps:
    """A parent that waits once, when it is not the first run any more for good."""

    def __init__(self, client: redis.Redis, children: int) -> None:
        self._client = client
        self._children = {f"c{number}": "" for number in range(children)}
        self.runs: Counter[str] = Counter()

    async def __call__(self, job: AsyncJob) -> object:
        self.runs[job.id] += 1
        if job.id == "p" and self.runs["p"] == 1:
            adopt(self._client, "p", self._children)
            return WaitForChildren()
        return f"{job.id} is done"


async def add(queue: AsyncQueue, *job_ids: str, attempts: int = 1) -> None:
    await queue.add_many(
        [
            ("n", None, {"job_id": job_id, "attempts": attempts, "backoff": None})
            for job_id in job_ids
        ]
    )


async def test_a_handler_may_wait_for_children_and_goes_on_when_they_have_ended(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    await add(queue, "p", "c0", "c1")
    steps = Steps(redis_client, children=2)
    async with working(steps, redis_url) as work:
        await work.events.next(JobWaits, job_id="p")
        await work.events.next(JobCompleted, job_id="p")
    stored = await queue.get_job("p")

    assert steps.runs == {"p": 2, "c0": 1, "c1": 1}
    assert stored
    assert (stored.attempts_made, stored.record.return_value) == (1, "p is done")


async def test_a_job_without_pending_children_runs_again_at_once(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    await add(queue, "p")
    steps = Steps(redis_client, children=0)
    async with working(steps, redis_url) as work:
        await work.events.next(JobGivenBack, job_id="p")
        await work.events.next(JobCompleted, job_id="p")

    assert steps.runs == {"p": 2}
    assert redis_client.hget(f"{BASE}p", "atm") == b"1"


async def test_a_result_before_the_children_have_ended_is_a_failed_attempt(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    await add(queue, "p", attempts=2)
    await add(queue, "c0")
    adopt(redis_client, "p", {"c0": ""})

    async def handle(job: AsyncJob) -> None:
        if job.id == "p" and job.attempts_made:
            redis_client.delete(f"{BASE}p:dependencies")

    async with working(handle, redis_url) as work:
        retried = await work.events.next(JobRetried, job_id="p")
        await work.events.next(JobCompleted, job_id="p")
        await work.events.next(JobCompleted, job_id="c0")

    assert retried.reason == str(ChildrenPendingError("p"))


@pytest.mark.parametrize("answer", [None, WaitForChildren()], ids=["result", "wait"])
async def test_a_job_that_a_child_has_failed_fails_whatever_its_handler_says(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis, answer: object
) -> None:
    await add(queue, "p", attempts=5)
    redis_client.zadd(f"{BASE}p:unsuccessful", {f"{BASE}c": 1})

    async def handle(_: AsyncJob) -> object:
        return answer

    async with working(handle, redis_url) as work:
        failed = await work.events.next(JobFailed, job_id="p")

    assert failed.reason == str(ChildFailedError("p"))


async def test_a_child_that_fails_its_parent_fails_it_without_a_run(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    await add(queue, "p", "c0")
    make_family(redis_client, "p", {"c0": "fpof"})
    ran: list[str] = []

    async def handle(job: AsyncJob) -> None:
        ran.append(job.id)
        raise ValueError("no")

    async with working(handle, redis_url) as work:
        failed = await work.events.next(JobFailed, job_id="p")

    assert failed.reason == f"child {BASE}c0 failed"
    assert ran == ["c0"]


async def test_of_ten_children_that_end_at_once_the_last_lets_the_parent_run_once(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    children = [f"c{number}" for number in range(10)]
    await add(queue, "p", *children)
    make_family(redis_client, "p", dict.fromkeys(children, ""))
    gate, runs = asyncio.Barrier(10), Counter[str]()

    async def handle(job: AsyncJob) -> None:
        runs[job.id] += 1
        if job.id != "p":
            await gate.wait()

    async with (
        working(handle, redis_url, concurrency=5) as one,
        working(handle, redis_url, concurrency=5) as other,
    ):
        await until(lambda: redis_client.zcard(f"{BASE}completed") == 11, "all are completed")

    assert runs == dict.fromkeys(["p", *children], 1)
    assert one.events.count(JobSuperseded) + other.events.count(JobSuperseded) == 0


async def test_an_end_whose_reply_is_lost_is_told_to_the_parent_once(
    proxy: Proxy, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    await add(queue, "p", "c0", "c1")
    make_family(redis_client, "p", {"c0": "", "c1": ""})
    runs = Counter[str]()

    async def handle(job: AsyncJob) -> None:
        runs[job.id] += 1

    proxy.cut_after(FINISH_LINKED.sha.encode())
    async with working(handle, proxy.url) as work:
        await work.events.next(JobCompleted, job_id="p")

    assert (proxy.cuts, runs) == (1, {"p": 1, "c0": 1, "c1": 1})
    assert work.events.count(JobSuperseded) == 0


async def test_a_wait_whose_reply_is_lost_is_one_wait(
    proxy: Proxy, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    await add(queue, "p", "c0", "c1")
    steps = Steps(redis_client, children=2)
    proxy.cut_after(AWAIT_CHILDREN.sha.encode())
    async with working(steps, proxy.url) as work:
        await work.events.next(JobCompleted, job_id="p")

    assert (proxy.cuts, steps.runs) == (1, {"p": 2, "c0": 1, "c1": 1})


async def test_a_failed_child_that_a_newer_failure_pushes_out_lets_its_parent_run(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    await add(queue, "p", "c0", "stranger")
    make_family(redis_client, "p", {"c0": ""})

    async def handle(job: AsyncJob) -> None:
        if job.id != "p":
            raise ValueError("no")

    async with working(handle, redis_url, remove_on_fail=1) as work:
        await work.events.next(JobCompleted, job_id="p")
