"""Workers on the loop of the test, and what they tell."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import redis
from tests.support.servers import wait_until

from toril import AsyncClaims, AsyncWorker
from toril.bullmq import AsyncClaimedJob, Handler
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import WorkerStarted
from toril.testing import EventWaiter

_END_S = 10.0


@dataclass(frozen=True)
class Working:
    """A worker that runs, its events, and its end."""

    worker: AsyncWorker
    events: EventWaiter
    running: asyncio.Task[None]

    async def ended(self) -> None:
        """Wait for its end; what it raised is raised here."""
        done, _ = await asyncio.wait([self.running], timeout=_END_S)
        assert done, "the worker did not end"
        self.running.result()


async def until(is_true: Callable[[], bool], what: str) -> None:
    """Wait for something that only a look can tell; the loop goes on meanwhile."""
    await asyncio.to_thread(wait_until, is_true, what)


async def until_asleep(client: redis.Redis, workers: int = 1) -> None:
    """Wait until so many workers sleep at their markers; who waits for results does not count."""

    def asleep() -> int:
        rows = client.client_list()
        return sum(row["cmd"] == "bzpopmin" and "b" in row["flags"] for row in rows)

    await until(lambda: asleep() == workers, f"{workers} workers asleep")


async def taken(claims: AsyncClaims) -> AsyncClaimedJob:
    """A job that must be there."""
    claimed = await claims.take(timeout=5)
    assert claimed is not None
    return claimed


@asynccontextmanager
async def working(
    handler: Handler,
    url: object,
    *,
    queue: str = "mail",
    **options: Any,  # noqa: ANN401
) -> AsyncIterator[Working]:
    """A worker that has started, and that drains when the block ends."""
    emitter = Emitter()
    events = EventWaiter(emitter)
    worker = AsyncWorker(queue, handler, url, emitter=emitter, **{"drain_timeout": 5} | options)
    running = asyncio.create_task(worker.run(handle_signals=False))
    work = Working(worker, events, running)
    try:
        await events.next(WorkerStarted)
        yield work
    finally:
        worker.close()
        await work.ended()
