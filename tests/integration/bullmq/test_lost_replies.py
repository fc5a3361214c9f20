"""A reply that is lost costs nothing: no job is added twice, lost, or run twice."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator

import pytest
import redis
from tests.integration.bullmq.workers import Working, until, until_asleep, working
from tests.support.proxy import Proxy
from tests.support.proxy_rules import Fault, Rule

from toril import AsyncQueue
from toril.bullmq import AsyncJob
from toril.bullmq.operations.add.add_jobs import ADD_JOBS
from toril.bullmq.operations.finish.finish_jobs import FINISH_JOBS
from toril.bullmq.operations.finish.return_jobs import RETURN_JOBS
from toril.core.errors import PermanentError
from toril.core.script import Script
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import (
    ConnectionLost,
    JobClaimed,
    JobCompleted,
    JobFailed,
    JobSuperseded,
)

BASE = "bull:{mail}:"


@pytest.fixture
async def queue(redis_url: str) -> AsyncIterator[AsyncQueue]:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        yield queue


def cut_after(proxy: Proxy, script: Script) -> None:
    proxy.cut_after(script.sha.encode())


async def test_an_add_whose_reply_is_lost_adds_its_job_once(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue:
        await queue.add("warm")
        cut_after(proxy, ADD_JOBS)

        job = await queue.add("n", {"only": "once"})
        later = await queue.add("n")

    assert proxy.cuts == 1
    assert (job.id, job.created, later.id) == ("2", True, "3")
    assert redis_client.lrange(f"{BASE}wait", 0, -1) == [b"3", b"2", b"1"]
    assert redis_client.get(f"{BASE}id") == b"3"


async def test_calls_that_travelled_together_each_get_their_own_job_from_the_receipt(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue:
        await queue.add("warm")
        cut_after(proxy, ADD_JOBS)

        jobs = await asyncio.gather(*(queue.add("n", number) for number in range(50)))
        stored = [await queue.get_job(job.id) for job in jobs]

    assert proxy.cuts == 1
    assert [job.data for job in stored if job] == list(range(50))
    assert redis_client.llen(f"{BASE}wait") == 51


async def test_a_call_with_many_jobs_adds_them_once(
    proxy: Proxy, redis_client: redis.Redis
) -> None:
    async with AsyncQueue("mail", proxy.url, emitter=Emitter()) as queue:
        await queue.add("warm")
        cut_after(proxy, ADD_JOBS)

        jobs = await queue.add_many(("n", number) for number in range(1_500))

    assert proxy.cuts == 1
    assert len({job.id for job in jobs}) == 1_500
    assert redis_client.llen(f"{BASE}wait") == 1_501


async def test_the_receipts_of_a_producer_go_by_themselves(
    queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    await queue.add("n")
    await queue.add("n")
    await queue.add_many([("n", 1)])

    receipts = redis_client.keys("toril:*receipt:*")
    assert len(receipts) == 2
    assert all(0 < redis_client.pttl(receipt) <= 600_000 for receipt in receipts)


async def test_concurrent_calls_travel_together(
    queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    await queue.add("warm")
    redis_client.config_resetstat()

    jobs = await asyncio.gather(*(queue.add("n", number) for number in range(500)))

    assert [job.id for job in jobs] == [str(number) for number in range(2, 502)]
    assert [job.data for job in jobs] == list(range(500))
    assert redis_client.info("commandstats")["cmdstat_evalsha"]["calls"] == 1


async def test_even_the_first_calls_keep_their_order(
    queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    jobs = await asyncio.gather(*(queue.add("n", number) for number in range(100)))

    assert [int(job.id) for job in jobs] == list(range(1, 101))
    waiting = redis_client.lrange(f"{BASE}wait", 0, -1)
    assert [int(job_id) for job_id in waiting] == list(range(100, 0, -1))


async def test_a_cancelled_caller_does_not_cancel_the_others(queue: AsyncQueue) -> None:
    await queue.add("warm")
    calls = [asyncio.create_task(queue.add("n", number)) for number in range(20)]
    for _ in range(3):
        await asyncio.wait(calls, timeout=0)
        calls[5].cancel()

    results = await asyncio.gather(*calls, return_exceptions=True)

    assert isinstance(results.pop(5), asyncio.CancelledError)
    assert len({job.id for job in results if not isinstance(job, BaseException)}) == 19


async def test_a_wrong_job_among_concurrent_calls_is_refused_alone(queue: AsyncQueue) -> None:
    results = await asyncio.gather(
        queue.add("n", 1), queue.add("n", {1, 2}), queue.add("n", 3), return_exceptions=True
    )

    assert isinstance(results[1], ValueError)
    assert (await queue.counts()).waiting == 2


class Runs:
    """A handler that counts, and that holds its job until it is let go."""

    def __init__(self, *, held: bool = False) -> None:
        self.counter: Counter[str] = Counter()
        self.gate = asyncio.Event()
        if not held:
            self.gate.set()

    async def __call__(self, job: AsyncJob) -> None:
        self.counter[job.id] += 1
        await self.gate.wait()


async def completed(work: Working, count: int) -> None:
    for _ in range(count):
        await work.events.next(JobCompleted)


@pytest.mark.parametrize("concurrency", [1, 10, 60], ids=lambda slots: f"{slots} slots")
async def test_an_exchange_whose_reply_is_lost_loses_nothing(
    proxy: Proxy, queue: AsyncQueue, redis_client: redis.Redis, concurrency: int
) -> None:
    runs = Runs(held=True)
    async with working(runs, proxy.url, concurrency=concurrency) as work:
        await queue.add_many([("n", number) for number in range(100)])
        await work.events.next(JobClaimed)
        cut_after(proxy, FINISH_JOBS)
        runs.gate.set()
        await completed(work, 100)

    assert proxy.cuts == 1
    assert work.events.count(ConnectionLost) == 1
    assert work.events.count(JobSuperseded) == 0
    _assert_each_ran_once(redis_client, runs, 100)


async def test_ends_whose_replies_are_lost_again_and_again_are_counted_once(
    proxy: Proxy, queue: AsyncQueue
) -> None:
    async def handle(job: AsyncJob) -> None:
        if job.name == "bad":
            raise PermanentError("no")

    proxy.add_rule(Rule(FINISH_JOBS.sha.encode(), Fault.LOSE_REPLY, every=3))
    async with working(handle, proxy.url, concurrency=5, metrics=3600) as work:
        await queue.add_many([(name, 0) for name in ("good", "good", "bad") * 30])
        for kind, count in ((JobCompleted, 60), (JobFailed, 30)):
            for _ in range(count):
                await work.events.next(kind)
        counted = [(await queue.metrics.read(kind)).total for kind in ("completed", "failed")]

    assert proxy.cuts >= 3
    assert counted == [60, 30]


@pytest.mark.parametrize("times", [1, 5])
async def test_a_wake_up_whose_reply_is_lost_loses_nothing(
    proxy: Proxy, queue: AsyncQueue, redis_client: redis.Redis, times: int
) -> None:
    """The marker is consumed and the claim made, and nobody hears of either."""
    runs = Runs()
    async with working(runs, proxy.url) as work:
        for _ in range(times):
            await until_asleep(redis_client)
            proxy.cut_after(b"BZPOPMIN")
            await queue.add("n")
            await completed(work, 1)
            await queue.add("n")
            await completed(work, 1)

    assert proxy.cuts == times
    _assert_each_ran_once(redis_client, runs, 2 * times)


async def test_a_return_whose_reply_is_lost_counts_once(
    proxy: Proxy, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    failures = iter([ValueError("once")] * 20)

    async def handle(_: AsyncJob) -> None:
        if error := next(failures, None):
            raise error

    async with working(handle, proxy.url, concurrency=20) as work:
        cut_after(proxy, RETURN_JOBS)
        await queue.add_many([("n", 0, {"attempts": 3, "backoff": 0.01})] * 20)
        await completed(work, 20)

    assert proxy.cuts == 1
    for number in range(1, 21):
        stored = redis_client.hgetall(f"{BASE}{number}")
        assert (stored[b"atm"], stored[b"ats"]) == (b"2", b"2")


async def test_connections_that_break_again_and_again_lose_nothing(
    proxy: Proxy, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    runs = Runs()
    async with working(runs, proxy.url, concurrency=5) as work:
        for _ in range(5):
            await queue.add_many([("n", number) for number in range(40)])
            await work.events.next(JobCompleted)
            proxy.drop_all()
            await completed(work, 39)

    _assert_each_ran_once(redis_client, runs, 200)


async def test_a_worker_that_pauses_and_resumes_runs_every_job_once(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    """Each pause breaks a wait that may just have claimed."""
    runs = Runs()
    async with working(runs, redis_url, concurrency=60) as work:
        for number in range(30):
            await queue.add("n", number)
            work.worker.pause()
            await queue.add("n", number)
            work.worker.resume()
        await completed(work, 60)

    _assert_each_ran_once(redis_client, runs, 60)


async def test_what_a_pausing_worker_had_just_claimed_goes_to_another(
    proxy: Proxy, queue: AsyncQueue, redis_client: redis.Redis, redis_url: str
) -> None:
    runs = Runs()
    async with working(runs, proxy.url) as paused:
        await until_asleep(redis_client)
        proxy.silence()
        await queue.add("n")
        await until(lambda: redis_client.llen(f"{BASE}active") == 1, "the job is claimed")
        proxy.speak()
        paused.worker.pause()
        async with working(runs, redis_url) as other:
            await other.events.next(JobCompleted)

    assert runs.counter == {"1": 1}
    assert redis_client.hmget(f"{BASE}1", "stc", "atm", "ats") == [None, b"1", b"2"]


def _assert_each_ran_once(client: redis.Redis, runs: Runs, count: int) -> None:
    assert runs.counter == {str(number): 1 for number in range(1, count + 1)}
    assert client.zcard(f"{BASE}completed") == count
    for number in range(1, count + 1):
        stored = client.hgetall(f"{BASE}{number}")
        assert b"stc" not in stored
        assert stored[b"atm"] == b"1"
