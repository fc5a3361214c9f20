"""A job from its adding to its end, with everything that may happen in between."""

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest
import redis
from tests.integration.bullmq.rigs import KeyspaceGuard
from tests.integration.bullmq.workers import working
from tests.support.servers import ValkeyServer

from toril import AsyncQueue
from toril.bullmq import AsyncJob, Job, JobRecord, Keep
from toril.core.backoff import Backoff
from toril.core.errors import JobFailedError, PermanentError
from toril.core.outcome import Delay, Discard, GiveBack, Retry
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import (
    GhostDropped,
    JobClaimed,
    JobCompleted,
    JobDelayed,
    JobFailed,
    JobGivenBack,
    JobRetried,
)

BASE = "bull:{mail}:"


@pytest.fixture
async def queue(redis_url: str) -> AsyncIterator[AsyncQueue]:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        yield queue


async def oops(_: AsyncJob) -> None:
    raise ValueError("oops")


async def test_the_whole_life_of_a_job_on_every_server(every_server: ValkeyServer) -> None:
    async def send(job: AsyncJob) -> dict[str, object]:
        await job.set_progress(50)
        await job.log("rendered")
        seen.append(job.record)
        return {"sent": job.data}

    seen: list[JobRecord] = []
    async with (
        AsyncQueue("mail", every_server.url, emitter=Emitter()) as queue,
        working(send, every_server.url, name="the worker") as work,
    ):
        job = await queue.add("welcome", "ada@example.com")
        await work.events.next(JobClaimed, job_id=job.id)
        assert await job.result(timeout=5) == {"sent": "ada@example.com"}
        await work.events.next(JobCompleted, job_id=job.id)
        found = await queue.get_job(job.id)
        counts = await queue.counts()

    assert found is not None
    record = found.record
    assert (counts.waiting, counts.active, counts.completed) == (0, 0, 1)
    assert (record.attempts_made, record.attempts_started, record.stalled_count) == (1, 1, 0)
    assert (record.processed_by, record.progress) == ("the worker", 50)
    assert record.timestamp <= (record.processed_on or 0) <= (record.finished_on or 0)
    assert (seen[0].attempts_made, seen[0].attempts_started) == (0, 1)
    assert (seen[0].processed_by, seen[0].processed_on) == ("the worker", record.processed_on)
    with every_server.client() as client:
        assert client.exists(f"{BASE}1:lock") == 0
        told = [fields[b"event"] for _, fields in client.xrange(f"{BASE}events")]
    assert told == [b"added", b"waiting", b"active", b"progress", b"completed", b"drained"]


async def test_a_plain_function_runs_in_a_thread_and_gets_a_job_that_blocks(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    seen: list[object] = []

    def send(job: Job) -> int:
        seen.extend((type(job), threading.current_thread() is threading.main_thread()))
        job.set_progress({"step": 1})
        return job.log("from a thread")

    async with working(send, redis_url, concurrency=2):
        job = await queue.add("n")
        assert await job.result(timeout=5) == 1

    assert seen == [Job, False]
    assert redis_client.lrange(f"{BASE}1:logs", 0, -1) == [b"from a thread"]


async def test_a_job_may_wait_for_another(redis_url: str, queue: AsyncQueue) -> None:
    async def handle(job: AsyncJob) -> object:
        if job.name == "inner":
            return "from within"
        inner = await queue.add("inner")
        return await inner.result(timeout=5)

    async with working(handle, redis_url, concurrency=2):
        outer = await queue.add("outer")

        assert await outer.result(timeout=5) == "from within"


async def test_jobs_run_in_the_order_of_priority_lifo_and_adding(
    redis_url: str, queue: AsyncQueue
) -> None:
    order: list[str] = []

    async def note(job: AsyncJob) -> None:
        order.append(job.name)

    await queue.add_many(
        [
            ("low", 0, {"priority": 9}),
            ("first", 0),
            ("high", 0, {"priority": 1}),
            ("second", 0),
            ("high too", 0, {"priority": 1}),
            ("hurry", 0, {"lifo": True}),
        ]
    )
    async with working(note, redis_url) as work:
        for _ in range(6):
            await work.events.next(JobCompleted)

    assert order == ["hurry", "first", "second", "high", "high too", "low"]


async def test_a_delayed_job_runs_when_it_is_due_and_not_before(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    async def ready(_: AsyncJob) -> None:
        return

    async with working(ready, redis_url) as work:
        job = await queue.add("n", delay=0.2)
        await work.events.next(JobCompleted)

    hash_of = redis_client.hgetall(f"{BASE}{job.id}")
    waited_ms = int(hash_of[b"processedOn"]) - int(hash_of[b"timestamp"])
    assert 200 <= waited_ms < 1_000


@pytest.mark.parametrize(
    ("backoff", "pauses_ms"),
    [
        pytest.param(None, [0, 0], id="none"),
        pytest.param(0.06, [60, 60], id="fixed"),
        pytest.param(Backoff.exponential(0.04), [40, 80], id="exponential"),
    ],
)
async def test_a_failing_job_is_tried_again_and_then_no_more(
    redis_url: str, queue: AsyncQueue, backoff: float | Backoff | None, pauses_ms: list[int]
) -> None:
    async with working(oops, redis_url) as work:
        job = await queue.add("n", attempts=3, backoff=backoff)
        retries = [await work.events.next(JobRetried) for _ in pauses_ms]
        failure = await work.events.next(JobFailed)
        with pytest.raises(JobFailedError, match="oops"):
            await job.result(timeout=5)
        found = await queue.get_job(job.id)

    assert [retry.delay_ms for retry in retries] == pauses_ms
    assert {event.reason for event in (*retries, failure)} == {"oops"}
    assert found is not None
    record = found.record
    assert (record.attempts_made, record.attempts_started) == (3, 3)
    assert record.failed_reason == "oops"
    assert len(record.stack_trace) == 3
    assert all("ValueError: oops" in trace for trace in record.stack_trace)


async def test_the_worker_may_decide_on_attempts_and_backoff(
    redis_url: str, queue: AsyncQueue
) -> None:
    options = {"max_attempts": 2, "backoff": Backoff.fixed(60), "max_backoff": 0.02}
    async with working(oops, redis_url, **options) as work:
        await queue.add("n", attempts=9)

        assert (await work.events.next(JobRetried)).delay_ms == 20
        assert (await work.events.next(JobFailed)).reason == "oops"


@pytest.mark.parametrize("error", [PermanentError("never"), Discard("never")])
async def test_a_job_that_cannot_succeed_is_not_tried_again(
    redis_url: str, queue: AsyncQueue, error: Exception
) -> None:
    async def fail(_: AsyncJob) -> None:
        raise error

    async with working(fail, redis_url) as work:
        job = await queue.add("n", attempts=9)
        await work.events.next(JobFailed, reason="never")
        found = await queue.get_job(job.id)

    assert found is not None
    assert found.record.attempts_made == 1


async def test_a_handler_may_ask_for_a_retry_a_delay_or_another_worker(
    redis_url: str, queue: AsyncQueue
) -> None:
    says = iter([Retry("not yet", delay=0.01), Delay(until=0.01), GiveBack()])

    async def handle(_: AsyncJob) -> object:
        return next(says, "at last")

    async with working(handle, redis_url) as work:
        job = await queue.add("n", attempts=2)
        await work.events.next(JobRetried, reason="not yet", delay_ms=10)
        await work.events.next(JobDelayed, delay_ms=10)
        await work.events.next(JobGivenBack)
        assert await job.result(timeout=5) == "at last"
        found = await queue.get_job(job.id)

    assert found is not None
    assert (found.record.attempts_made, found.record.attempts_started) == (2, 4)


@pytest.mark.parametrize("outcome", ["completed", "failed"])
@pytest.mark.parametrize(
    ("rule", "kept"),
    [
        (True, []),
        (0, []),
        (False, [b"1", b"2", b"3"]),
        (2, [b"2", b"3"]),
        (Keep(count=1), [b"3"]),
        (Keep(age=60), [b"1", b"2", b"3"]),
        (Keep(age=0), []),
        (Keep(age=60, count=2), [b"2", b"3"]),
    ],
    ids=repr,
)
async def test_ended_jobs_are_removed_as_they_say(
    redis_url: str,
    queue: AsyncQueue,
    redis_client: redis.Redis,
    outcome: str,
    rule: bool | int | Keep,
    kept: list[bytes],
) -> None:
    async def end(job: AsyncJob) -> None:
        await job.log("a row")
        if outcome == "failed":
            raise PermanentError("no")

    async with working(end, redis_url) as work:
        for _ in range(3):
            await queue.add("n", remove_on_complete=rule, remove_on_fail=rule)
            await work.events.next(JobFailed if outcome == "failed" else JobCompleted)

    assert redis_client.zrange(BASE + outcome, 0, -1) == kept
    left = {key for key in redis_client.keys(f"{BASE}[0-9]*") if not key.endswith(b":logs")}
    assert left == {BASE.encode() + job_id for job_id in kept}
    assert len(redis_client.keys(f"{BASE}*:logs")) == len(kept)


async def test_old_jobs_go_when_another_ends(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    async def ready(_: AsyncJob) -> None:
        return

    async with working(ready, redis_url, remove_on_complete=Keep(age=60)) as work:
        await queue.add("old")
        await work.events.next(JobCompleted)
        long_ago = 1_000_000
        redis_client.zadd(f"{BASE}completed", {"1": long_ago})
        redis_client.hset(f"{BASE}1", "finishedOn", long_ago)

        await queue.add("new")
        await work.events.next(JobCompleted)

    assert redis_client.zrange(f"{BASE}completed", 0, -1) == [b"2"]
    assert redis_client.exists(f"{BASE}1") == 0


async def test_a_result_that_cannot_be_stored_fails_its_job_alone(
    redis_url: str, queue: AsyncQueue
) -> None:
    async def handle(job: AsyncJob) -> object:
        return {"at": object()} if job.name == "bad" else "fine"

    async with working(handle, redis_url, concurrency=2) as work:
        bad, good = await queue.add_many([("bad", 0), ("good", 0)])
        failure = await work.events.next(JobFailed, job_id=bad.id)
        assert await good.result(timeout=5) == "fine"

    assert "result.at: is of type object" in failure.reason


@pytest.mark.parametrize(
    ("field", "value"), [("data", '{"to":'), ("opts", "[1]"), ("opts", "{"), ("data", "NaN")]
)
async def test_a_job_that_cannot_be_read_fails_once_and_names_the_field(
    redis_url: str,
    queue: AsyncQueue,
    redis_client: redis.Redis,
    keyspace: KeyspaceGuard,
    field: str,
    value: str,
) -> None:
    keyspace.ignore("I31")
    ran: list[str] = []

    async def handle(job: AsyncJob) -> None:
        ran.append(job.id)

    spoilt, sound = await queue.add_many([("spoilt", 0), ("sound", 0)])
    redis_client.hset(BASE + spoilt.id, field, value)

    async with working(handle, redis_url) as work:
        failure = await work.events.next(JobFailed, job_id=spoilt.id)
        await work.events.next(JobCompleted, job_id=sound.id)

    assert failure.reason.startswith(f"{field} cannot be read")
    assert ran == [sound.id]
    stored = redis_client.hgetall(BASE + spoilt.id)
    assert stored[b"failedReason"].decode() == failure.reason
    assert (stored[b"atm"], stored[b"ats"]) == (b"1", b"1")


async def test_ids_without_a_job_are_dropped_and_reported(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    async def ready(_: AsyncJob) -> None:
        return

    await queue.add_many([("a", 0), ("b", 0), ("c", 0, {"priority": 1})])
    redis_client.rpush(f"{BASE}wait", "next ghost", "0:0")
    redis_client.linsert(f"{BASE}wait", "before", "1", "ghost between")
    redis_client.zadd(f"{BASE}prioritized", {"prioritized ghost": 1})
    redis_client.zadd(f"{BASE}delayed", {"due ghost": 4_096})

    async with working(ready, redis_url, concurrency=3) as work:
        done = {(await work.events.next(JobCompleted)).job_id for _ in range(3)}
        ghosts = {(await work.events.next(GhostDropped)).job_id for _ in range(5)}

    assert done == {"1", "2", "3"}
    assert ghosts == {"next ghost", "0:0", "ghost between", "prioritized ghost", "due ghost"}


async def test_a_handler_that_raises_what_nobody_raises_stops_nothing(
    redis_url: str, queue: AsyncQueue
) -> None:
    class MuteError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    errors = [SystemExit(3), KeyboardInterrupt(), asyncio.CancelledError(), MuteError()]

    async def handle(job: AsyncJob) -> None:
        if isinstance(job.data, int):
            raise errors[job.data]

    async with working(handle, redis_url) as work:
        await queue.add_many([("n", number, {"attempts": 1}) for number in range(len(errors))])
        reasons = [(await work.events.next(JobFailed)).reason for _ in errors]
        last = await queue.add("n")
        assert await last.result(timeout=5) is None

    assert reasons == ["3", "KeyboardInterrupt", "CancelledError", "MuteError"]


async def test_what_node_stored_of_a_failure_does_not_hinder_the_next_one(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    job = await queue.add("n", attempts=2, backoff=None)
    redis_client.hset(BASE + job.id, "stacktrace", '["cut in a letter \\ud83d"]')

    async with working(oops, redis_url) as work:
        await work.events.next(JobFailed, job_id=job.id)


@pytest.mark.parametrize(
    "opts",
    [
        '{"attempts":1e300,"removeOnComplete":1e300,"removeOnFail":{"age":1e300}}',
        '{"attempts":2,"removeOnComplete":{"count":-1,"age":-1},"removeOnFail":-1}',
        '{"attempts":null,"removeOnComplete":null,"backoff":7,"parent":null,"x":[1]}',
    ],
)
@pytest.mark.parametrize("outcome", ["completed", "failed"])
async def test_whatever_options_others_have_stored_a_run_can_be_settled(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis, opts: str, outcome: str
) -> None:
    async def handle(_: AsyncJob) -> None:
        if outcome == "failed":
            raise PermanentError("no")

    job = await queue.add("n")
    redis_client.hset(BASE + job.id, "opts", opts)

    async with working(handle, redis_url) as work:
        await work.events.next(JobCompleted if outcome == "completed" else JobFailed)

    assert redis_client.zrange(BASE + outcome, 0, -1) == [b"1"]
