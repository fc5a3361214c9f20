"""Tests of a handler: by hand, on a real server, and with hours that pass in no time.

    pytest examples/test_your_jobs.py

They need no server but the one of `toril[embedded]`, and no plugin of pytest.
"""

import asyncio

from toril import AsyncJob, AsyncQueue, AsyncWorker, Backoff, TransientError
from toril.runtime import Engine, EngineOptions, LoopExecutor
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import JobCompleted, JobRetried
from toril.testing import EventWaiter, FrozenClock, JobState, MemoryJob, MemoryQueue, MemorySource


async def welcome(job: AsyncJob | MemoryJob) -> str:
    """The handler under test: the mail server is busy at first."""
    if job.attempts_made == 0:
        raise TransientError("the mail server is busy")
    return f"welcome, {job.data}"


def test_it_greets_by_name() -> None:
    """A handler is a function."""
    job = MemoryJob(id="1", name="welcome", data="Ada", attempts_made=1)

    assert asyncio.run(welcome(job)) == "welcome, Ada"


def test_it_succeeds_at_the_second_attempt() -> None:
    """On a real server, with a pause of ten milliseconds."""

    async def play() -> object:
        worker = AsyncWorker("welcomes", welcome, "embedded://")
        async with AsyncQueue("welcomes", "embedded://") as queue, asyncio.TaskGroup() as tasks:
            tasks.create_task(worker.run())
            job = await queue.add("welcome", "Grace", backoff=Backoff.fixed(0.01))
            result = await job.result(timeout=5)
            worker.close()
            return result

    assert asyncio.run(play()) == "welcome, Grace"


def test_it_is_tried_again_an_hour_later() -> None:
    """Without a server and without waiting: time stands still until it is told to go on."""

    async def play() -> None:
        clock = FrozenClock()
        queue = MemoryQueue(clock=clock)
        emitter = Emitter()
        events = EventWaiter(emitter)
        engine = Engine(
            MemorySource(queue),
            LoopExecutor(welcome, bind=lambda job, _stop: job),
            queue=queue.name,
            worker="test",
            options=EngineOptions(),
            emitter=emitter,
        )
        running = asyncio.create_task(engine.run())
        job_id = queue.add("Barbara", attempts=2, backoff=Backoff.fixed(3600))

        await events.next(JobRetried)
        assert queue.job(job_id).state is JobState.DELAYED
        clock.advance(3600)
        await events.next(JobCompleted)

        assert queue.job(job_id).result == "welcome, Barbara"
        engine.drain()
        await running

    asyncio.run(play())
