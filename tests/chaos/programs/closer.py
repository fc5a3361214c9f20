"""Closes workers at every moment of their life, and looks at what each leaves behind."""

import asyncio
from collections.abc import Callable, Coroutine, Generator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

import redis.asyncio
from tests.chaos.programs.deeds import do
from tests.chaos.programs.worker import Witness, descriptors
from tests.support.journal import Journal

from toril import AsyncQueue, AsyncWorker
from toril.bullmq import AsyncJob
from toril.telemetry.emitter import Emitter

_JOBS: Final = 12
_IDLE_S: Final = 0.2
_LEFT_S: Final = 10.0
_DEED: Final = {"do": "sleep", "for": 0.005}
Work: TypeAlias = Coroutine[Any, Any, Any] | Generator[Any, None, Any]

_WAYS: Final = ("close", "stop_now", "cancel")


class Steps:
    """Counts the steps of every task that is made, and acts at one of them."""

    def __init__(self) -> None:
        self.taken = 0
        self._at = 0
        self._act: Callable[[], object] = lambda: None

    def act_after(self, steps: int, act: Callable[[], object]) -> None:
        """Do this when so many steps more were taken."""
        self._at, self._act = self.taken + steps, act

    def step(self) -> None:
        self.taken += 1
        if self.taken == self._at:
            asyncio.get_running_loop().call_soon(self._act)

    def new_task(
        self,
        loop: asyncio.AbstractEventLoop,
        work: Work,
        **options: Any,  # noqa: ANN401
    ) -> "asyncio.Task[Any]":
        """The task factory of the loop."""
        return asyncio.Task(Counted(work, self), loop=loop, **options)


class Counted(Coroutine[Any, Any, Any]):
    """A coroutine, each step of which is counted."""

    def __init__(self, work: Work, steps: Steps) -> None:
        self._work = work
        self._steps = steps

    def send(self, value: Any) -> Any:  # noqa: ANN401
        self._steps.step()
        return self._work.send(value)

    def throw(self, *error: Any) -> Any:  # noqa: ANN401
        self._steps.step()
        return self._work.throw(*error)

    def close(self) -> None:
        self._work.close()

    def __await__(self) -> Generator[Any, Any, Any]:
        raise NotImplementedError  # a task steps it by `send` and `throw`


class Closer:
    """Runs one worker after the other on one queue, and closes each a little later."""

    def __init__(self, options: Mapping[str, Any], journal: Journal) -> None:
        self._options: Final = options
        self._journal: Final = journal
        self._witness: Final = Witness(journal)
        self._steps: Final = Steps()

    async def run(self) -> None:
        """Measure the life of a worker, and close the others spread over it."""
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._witness.unhandled)
        loop.set_task_factory(self._steps.new_task)
        url, name, closes = (self._options[key] for key in ("url", "queue", "closes"))
        async with (
            AsyncQueue(name, url, emitter=Emitter()) as queue,
            redis.asyncio.Redis.from_url(url) as client,
        ):
            life = await self._steps_of_a_life(await self._add_jobs(queue))
            for number in range(closes):
                await self._add_jobs(queue)
                after = round(life * number / closes) + 1
                await self._close_once(after, _WAYS[number % len(_WAYS)])
                await self._look_at_the_queue(client)

    async def _steps_of_a_life(self, jobs: Sequence[AsyncJob]) -> int:
        """How many steps it takes to start and to do all jobs there are."""
        before = self._steps.taken
        async with self._worker():
            await asyncio.gather(*(job.result(10) for job in jobs))
        return self._steps.taken - before

    async def _close_once(self, after: int, way: str) -> None:
        tasks, open_before = asyncio.all_tasks(), descriptors()
        worker = self._worker()
        running = asyncio.create_task(worker.run(handle_signals=False))
        acts: Mapping[str, Callable[[], object]] = {
            "close": worker.close,
            "stop_now": worker.stop_now,
            "cancel": running.cancel,
        }
        closing = asyncio.Event()

        def act() -> None:
            self._steps.act_after(0, lambda: None)
            self._journal.write("fault", way, number=after)
            acts[way]()
            closing.set()

        self._steps.act_after(after, act)
        with suppress(TimeoutError):
            async with asyncio.timeout(_IDLE_S):
                await closing.wait()
        if not closing.is_set():
            act()  # it took fewer steps, and is idle
        try:
            async with asyncio.timeout(_LEFT_S):
                await running
        except asyncio.CancelledError:
            if way != "cancel":
                raise
        self._journal.write("closed", way, number=after)
        self._expect_nothing(asyncio.all_tasks() - tasks, f"tasks after {way} at {after}")
        self._expect_nothing(descriptors() - open_before, f"descriptors after {way} at {after}")

    async def _look_at_the_queue(self, client: "redis.asyncio.Redis") -> None:
        base = f"bull:{{{self._options['queue']}}}:"
        self._expect_nothing(await client.lrange(f"{base}active", 0, -1), "active jobs")
        self._expect_nothing([key async for key in client.scan_iter(f"{base}*:lock")], "locks")

    def _expect_nothing(self, left: object, what: str) -> None:
        if left:
            self._journal.write("unhandled", "closer", note=f"{what}: {left}")

    def _worker(self) -> AsyncWorker:
        async def handle(job: AsyncJob) -> object:
            with self._witness.run_of(job):
                return await do(job.data)

        return AsyncWorker(
            self._options["queue"],
            handle,
            self._options["url"],
            concurrency=4,
            lock=2,
            stalled_interval=1,
            drain_timeout=1,
            emitter=Emitter(self._witness.hear),
        )

    async def _add_jobs(self, queue: AsyncQueue) -> Sequence[AsyncJob]:
        keys = [f"{self._steps.taken}-{number}" for number in range(_JOBS)]
        for key in keys:
            self._journal.write("called", key)
        jobs = await asyncio.gather(*(queue.add("sleep", _DEED) for _ in keys))
        for key, job in zip(keys, jobs, strict=True):
            self._journal.write("added", key, note=job.id)
        return jobs


def main(options: Mapping[str, Any]) -> int:
    """Close so many workers; what is wrong is in the journal."""
    with Journal(options["journal"]) as journal:
        asyncio.run(Closer(options, journal).run())
    return 0
