"""A worker that is told to stop leaves nothing behind: it finishes, or it gives back."""

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import redis
from tests.integration.bullmq.workers import until, until_asleep, working

from toril import AsyncQueue, AsyncWorker, Worker
from toril.bullmq import AsyncJob, Job
from toril.core.errors import AlreadyStartedError, DeniedError, QueueNameAmbiguousError
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import (
    JobAbandoned,
    JobClaimed,
    JobCompleted,
    JobFailed,
    WorkerStopped,
)

BASE = "bull:{mail}:"
PROGRAM = """
import asyncio, sys, time
from toril import AsyncWorker, Worker
from toril.telemetry.events import WorkerDraining

async def on_loop(job):
    print("began", flush=True)
    await asyncio.sleep(job.data)
    print("ended", flush=True)

def in_thread(job):
    print("began", flush=True)
    time.sleep(job.data)
    print("ended", flush=True)

kind, url = sys.argv[1:]
make = {"Worker": Worker, "AsyncWorker": AsyncWorker}[kind]
worker = make("mail", on_loop if kind == "AsyncWorker" else in_thread, url)
worker.subscribe(lambda event: isinstance(event, WorkerDraining) and print("drains", flush=True))
if kind == "AsyncWorker":
    asyncio.run(worker.run())
else:
    worker.run()
"""


@pytest.fixture
async def queue(redis_url: str) -> AsyncIterator[AsyncQueue]:
    async with AsyncQueue("mail", redis_url, emitter=Emitter()) as queue:
        yield queue


async def for_ever(_: AsyncJob) -> None:
    await asyncio.Event().wait()


async def test_a_worker_that_is_closed_finishes_what_runs_and_takes_no_more(
    redis_url: str, queue: AsyncQueue
) -> None:
    began, gate = asyncio.Event(), asyncio.Event()

    async def handle(_: AsyncJob) -> str:
        began.set()
        await gate.wait()
        return "finished"

    async with working(handle, redis_url) as work:
        first, _ = await queue.add_many([("first", 0), ("second", 0)])
        await began.wait()
        work.worker.close()
        gate.set()
        await work.ended()
        assert await first.result(timeout=5) == "finished"
        counts = await queue.counts()

    assert (counts.completed, counts.waiting, counts.active) == (1, 1, 0)


async def test_a_worker_that_must_stop_now_gives_its_jobs_back(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    async with working(for_ever, redis_url, concurrency=3) as work:
        await queue.add_many([("n", 0), ("n", 0), ("n", 0, {"priority": 5}), ("waits", 0)])
        for _ in range(3):
            await work.events.next(JobClaimed)
        work.worker.stop_now()
        await work.ended()
        stopped = await work.events.next(WorkerStopped)
        counts = await queue.counts()

    assert stopped.given_back == 3
    assert (counts.waiting, counts.prioritized, counts.active) == (3, 1, 0)
    assert redis_client.keys("*:lock") == []
    for number in range(1, 5):
        assert redis_client.hmget(f"{BASE}{number}", "atm", "stc") == [None, None]
    given_back, first = redis_client.lrange(f"{BASE}wait", 0, -1)[-2:]
    assert {given_back, first} <= {b"1", b"2", b"3", b"4"}


async def test_a_drain_that_takes_too_long_gives_back_what_is_left(
    redis_url: str, queue: AsyncQueue
) -> None:
    async with working(for_ever, redis_url, drain_timeout=0.1) as work:
        await queue.add("n")
        await work.events.next(JobClaimed)
        work.worker.close()
        await work.ended()
        counts = await queue.counts()

    assert (counts.waiting, counts.active) == (1, 0)


async def test_a_handler_that_cannot_be_stopped_loses_its_job_to_others(
    redis_url: str, queue: AsyncQueue
) -> None:
    gate = asyncio.Event()

    async def stubborn(_: AsyncJob) -> None:
        while not gate.is_set():
            try:
                await gate.wait()
            except asyncio.CancelledError:
                continue

    async with working(stubborn, redis_url, drain_timeout=0) as work:
        await queue.add("n")
        await work.events.next(JobClaimed)
        work.worker.close()
        await work.ended()
        await work.events.next(JobAbandoned)
        counts = await queue.counts()
        gate.set()

    assert (counts.waiting, counts.active) == (1, 0)


async def test_a_worker_that_was_closed_first_ends_at_once(redis_url: str) -> None:
    worker = AsyncWorker("mail", for_ever, redis_url, emitter=Emitter())
    worker.close()

    async with asyncio.timeout(5):
        await worker.run(handle_signals=False)


async def test_a_worker_runs_once_and_a_second_attempt_does_not_hurt_the_first(
    redis_url: str, queue: AsyncQueue
) -> None:
    began, gate = asyncio.Event(), asyncio.Event()

    async def handle(job: AsyncJob) -> int:
        began.set()
        await gate.wait()
        return await job.log("still here")

    async with working(handle, redis_url) as work:
        job = await queue.add("n", attempts=1)
        await began.wait()
        with pytest.raises(AlreadyStartedError):
            await work.worker.run(handle_signals=False)
        gate.set()

        assert await job.result(timeout=5) == 1
        assert work.events.count(JobFailed) == 0


@pytest.mark.parametrize("hash_tag", [None, False, True])
async def test_a_worker_with_the_wrong_password_ends_with_the_reason(
    redis_url: str, redis_client: redis.Redis, hash_tag: bool | None
) -> None:
    redis_client.execute_command("ACL", "SETUSER", "guarded", "reset", "on", ">right", "+@all")
    url = redis_url.replace("redis://", "redis://guarded:wrong@")
    worker = AsyncWorker("mail", for_ever, url, hash_tag=hash_tag, emitter=Emitter())

    async with asyncio.timeout(5):
        with pytest.raises(DeniedError, match="WRONGPASS") as refusal:
            await worker.run(handle_signals=False)

    assert "wrong@" not in str(refusal.value)
    redis_client.execute_command("ACL", "DELUSER", "guarded")


@pytest.mark.parametrize(
    ("existing", "hash_tag_to_use"), [("mail", False), ("{mail}", None)], ids=["plain", "braced"]
)
async def test_a_worker_does_not_wait_on_the_wrong_queue(
    redis_url: str, existing: str, hash_tag_to_use: bool | None
) -> None:
    async def ready(_: AsyncJob) -> None:
        return

    async with AsyncQueue(existing, redis_url, hash_tag=False, emitter=Emitter()) as queue:
        await queue.add("n")

        if existing == "mail":
            worker = AsyncWorker("mail", ready, redis_url, emitter=Emitter())
            with pytest.raises(QueueNameAmbiguousError, match="hash_tag=False"):
                await worker.run(handle_signals=False)
        async with working(ready, redis_url, hash_tag=hash_tag_to_use) as work:
            await work.events.next(JobCompleted)


async def test_workers_can_be_listed_by_every_client(
    redis_url: str, redis_client: redis.Redis
) -> None:
    async with working(for_ever, redis_url, hash_tag=False, name="a ü b"):
        await until(
            lambda: "bull:bWFpbA==:w:a---b" in {one["name"] for one in redis_client.client_list()},
            "the worker is listed",
        )


async def test_a_paused_worker_finishes_what_it_has_and_takes_no_more(
    redis_url: str, queue: AsyncQueue
) -> None:
    gate = asyncio.Event()

    async def handle(job: AsyncJob) -> str:
        await gate.wait()
        return f"{job.name} done"

    async with working(handle, redis_url) as work:
        first = await queue.add("first")
        await work.events.next(JobClaimed, job_id=first.id)
        work.worker.pause()
        second = await queue.add("second")
        assert not await work.worker.until_idle(timeout=0.1)

        gate.set()
        assert await work.worker.until_idle(timeout=5)

        assert await first.result(timeout=5) == "first done"
        assert work.worker.health().is_paused
        counts = await queue.counts()
        assert (counts.waiting, counts.active, counts.completed) == (1, 0, 1)

        work.worker.resume()
        assert await second.result(timeout=5) == "second done"


async def test_a_worker_that_waits_for_work_can_be_paused_and_loses_none(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis
) -> None:
    async def handle(job: AsyncJob) -> str:
        return job.name

    async with working(handle, redis_url, concurrency=5) as work:
        for number in range(8):
            await until_asleep(redis_client)
            adding = asyncio.gather(*(queue.add(f"{number}") for _ in range(3)))
            work.worker.pause()
            jobs = await adding
            assert await work.worker.until_idle(timeout=5)
            assert (await queue.counts()).active == 0
            work.worker.resume()
            for job in jobs:
                assert await job.result(timeout=5) == f"{number}"


async def test_a_worker_that_is_paused_before_it_starts_takes_nothing_until_it_is_resumed(
    redis_url: str, queue: AsyncQueue
) -> None:
    async def handle(_: AsyncJob) -> str:
        return "done"

    emitter = Emitter()
    worker = AsyncWorker("mail", handle, redis_url, emitter=emitter)
    worker.pause()
    assert await worker.until_idle()
    async with worker:
        job = await queue.add("n")
        assert await worker.until_idle(timeout=5)
        assert (await queue.counts()).waiting == 1
        worker.resume()
        assert await job.result(timeout=5) == "done"
    assert await worker.until_idle()


def test_a_blocking_worker_can_be_waited_for_by_other_threads(redis_url: str) -> None:
    began, gate = threading.Event(), threading.Event()

    def handle(_: Job) -> None:
        began.set()
        assert gate.wait(10)

    worker = Worker("mail", handle, redis_url, emitter=Emitter())
    assert worker.until_idle()
    thread = threading.Thread(target=worker.run, kwargs={"handle_signals": False})
    thread.start()
    asyncio.run(_add_one(redis_url))
    assert began.wait(5)
    worker.pause()
    assert not worker.until_idle(timeout=0.05)
    gate.set()
    assert worker.until_idle(timeout=5)
    assert asyncio.run(_completed(redis_url)) == 1
    worker.close()
    assert worker.until_idle(timeout=5)
    thread.join(10)

    assert not thread.is_alive()
    assert worker.until_idle()


def test_a_blocking_worker_runs_until_it_is_closed_from_a_handler(redis_url: str) -> None:
    workers: list[Worker] = []

    def last(job: Job) -> None:
        job.log("the last")
        workers[0].close()

    workers.append(Worker("mail", last, redis_url, emitter=Emitter()))
    asyncio.run(_add_one(redis_url))

    workers[0].run(handle_signals=False)

    assert asyncio.run(_completed(redis_url)) == 1


@contextmanager
def program(kind: str, url: str, folder: Path) -> Iterator["subprocess.Popen[str]"]:
    script = folder / "program.py"
    script.write_text(PROGRAM)
    with subprocess.Popen(
        [sys.executable, str(script), kind, url], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.mark.parametrize("kind", ["Worker", "AsyncWorker"])
async def test_the_first_signal_drains(
    redis_url: str, queue: AsyncQueue, tmp_path: Path, kind: str
) -> None:
    await queue.add("n", 0.3)
    with program(kind, redis_url, tmp_path) as process:
        assert process.stdout
        assert process.stdout.readline() == "began\n"
        process.send_signal(signal.SIGTERM)
        rest = process.stdout.read()
        code = process.wait(5)

    assert rest == "drains\nended\n"
    assert code == 0
    assert (await queue.counts()).completed == 1


@pytest.mark.parametrize("kind", ["Worker", "AsyncWorker"])
async def test_the_second_signal_gives_back_at_once(
    redis_url: str, queue: AsyncQueue, redis_client: redis.Redis, tmp_path: Path, kind: str
) -> None:
    await queue.add("n", 60)
    with program(kind, redis_url, tmp_path) as process:
        assert process.stdout
        assert process.stdout.readline() == "began\n"
        process.send_signal(signal.SIGTERM)
        assert process.stdout.readline() == "drains\n"
        process.send_signal(signal.SIGINT)
        process.wait(10)

    counts = await queue.counts()
    assert (counts.waiting, counts.active) == (1, 0)
    assert redis_client.hmget(f"{BASE}1", "atm", "stc") == [None, None]


async def _add_one(url: str) -> None:
    async with AsyncQueue("mail", url, emitter=Emitter()) as queue:
        await queue.add("n")


async def _completed(url: str) -> int:
    async with AsyncQueue("mail", url, emitter=Emitter()) as queue:
        return (await queue.counts()).completed
