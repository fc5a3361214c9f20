"""The end of the demo: how fast it goes when the jobs themselves take no time."""

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from toril import AsyncQueue, AsyncWorker, JobOptions
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import Event, JobCompleted

if TYPE_CHECKING:
    from toril import AsyncJob

_CONCURRENCY: Final = 100


@dataclass(frozen=True, slots=True)
class Pace:
    """How long a number of empty jobs took to add, and then to work."""

    jobs: int
    adding_s: float
    working_s: float


async def sprint(queue_name: str, url: str, jobs: int) -> Pace:
    """Add that many empty jobs in one call, then work them as fast as it goes."""
    async with AsyncQueue(queue_name, url) as queue:
        began = time.perf_counter()
        options = JobOptions(remove_on_complete=True)
        await queue.add_many([("sprint", {"lap": lap}, options) for lap in range(jobs)])
        added = time.perf_counter()
        await _work_all(queue_name, url, jobs)
        return Pace(jobs, added - began, time.perf_counter() - added)


async def _work_all(queue_name: str, url: str, jobs: int) -> None:
    left = jobs

    def count(event: Event) -> None:
        nonlocal left
        if isinstance(event, JobCompleted):
            left -= 1
            if not left:
                worker.close()

    worker = AsyncWorker(
        queue_name, _nothing, url, concurrency=_CONCURRENCY, emitter=Emitter(count)
    )
    await worker.run(handle_signals=False)


async def _nothing(_job: "AsyncJob") -> None:
    await asyncio.sleep(0)
