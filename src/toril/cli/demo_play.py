"""The demo from beginning to end: a producer, a worker and a display; then a sprint."""

import asyncio
import secrets
import time
from collections.abc import Iterator, Sequence
from typing import Final

from toril import AsyncQueue, AsyncWorker, JobOptions
from toril.cli.demo_jobs import ATTEMPTS, BACKOFF, Errand, errands, handle
from toril.cli.demo_sprint import Pace, sprint
from toril.cli.demo_tally import Tally
from toril.cli.demo_view import Frame, Show, View
from toril.telemetry.emitter import Emitter

_FRAME_S: Final = 0.1
_ADD_EVERY_S: Final = 0.15
_BATCHES: Final = 40
_FIRST_BATCH: Final = 0.3
_FEWEST: Final = 3
_SPRINT_JOBS: Final = 2_000


class Play:
    """One run of the demo against one server."""

    def __init__(self, url: str, *, jobs: int, concurrency: int) -> None:
        self.url: Final = url
        self.jobs: Final = jobs
        self.concurrency: Final = concurrency
        # A queue of our own, also where others are at work.
        self.queue: Final = f"demo-{secrets.token_hex(3)}"
        self.tally: Final = Tally(time.monotonic)

    async def run(self, view: View) -> tuple[Frame, Pace]:
        """Play it once, then sprint; how the play ended, and the pace of the sprint."""
        async with AsyncQueue(self.queue, self.url) as queue:
            await queue.counts()  # an error of the connection ends it here, in one line
            worker = AsyncWorker(
                self.queue,
                handle,
                self.url,
                concurrency=self.concurrency,
                emitter=Emitter(self.tally),
            )
            self.tally.start()
            parts = [
                asyncio.create_task(worker.run(handle_signals=False)),
                asyncio.create_task(self._produce(queue)),
            ]
            try:
                with view as show:
                    end = await self._watch(queue, show, parts)
                worker.close()
            except BaseException:
                worker.stop_now()
                parts[1].cancel()
                raise
            finally:
                await asyncio.gather(*parts, return_exceptions=True)
        return end, await sprint(f"{self.queue}-sprint", self.url, _SPRINT_JOBS)

    async def _produce(self, queue: AsyncQueue) -> None:
        options = JobOptions(
            attempts=ATTEMPTS, backoff=BACKOFF, remove_on_complete=True, remove_on_fail=True
        )
        for batch in _batches(list(errands(self.jobs))):
            jobs = await queue.add_many([(each.name, each.data, options) for each in batch])
            for job in jobs:
                self.tally.note_added(job.id, job.name)
            await asyncio.sleep(_ADD_EVERY_S)

    async def _watch(
        self, queue: AsyncQueue, show: Show, parts: Sequence["asyncio.Task[None]"]
    ) -> Frame:
        shown = 0
        while True:
            frame = await self._frame(queue, shown)
            show(frame)
            if frame.is_last:
                return frame
            if frame.news:
                shown = frame.news[-1].number
            await asyncio.sleep(_FRAME_S)
            for part in parts:
                if part.done():
                    part.result()

    async def _frame(self, queue: AsyncQueue, shown: int) -> Frame:
        counts = await queue.counts()
        tally = self.tally
        return Frame(
            elapsed_s=tally.elapsed_s,
            jobs=self.jobs,
            added=tally.added,
            waiting=counts.waiting,
            active=counts.active,
            delayed=counts.delayed,
            completed=tally.completed,
            completed_after_retry=tally.completed_after_retry,
            failed=tally.failed,
            retries=tally.retries,
            per_second=tally.per_second(),
            news=tally.since(shown),
        )


def _batches(jobs: Sequence[Errand]) -> Iterator[Sequence[Errand]]:
    """A heap at once, so that there is something to work off, then a few at a time."""
    first = max(1, round(len(jobs) * _FIRST_BATCH))
    step = max(_FEWEST, -(-(len(jobs) - first) // _BATCHES))
    yield jobs[:first]
    for start in range(first, len(jobs), step):
        yield jobs[start : start + step]
