"""An engine under test, with everything that a test wants to look at."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from tests.support.virtual_time import pass_ticks
from tests.unit.runtime.manual_source import ManualSource

from toril.runtime import (
    Engine,
    EngineOptions,
    Executor,
    LoopExecutor,
    Source,
    StopReason,
    StopSignal,
    ThreadExecutor,
)
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import Event
from toril.testing import EventWaiter

J = TypeVar("J")

PATIENCE_S = 600.0


def same(job: J, _signal: StopSignal) -> J:
    return job


async def quiet(ticks: int = 20) -> None:
    """Let everything happen that needs neither an answer nor time."""
    await pass_ticks(ticks)


class GoOn:
    """The signal of a run that need not stop."""

    stop: StopReason | None = None


@dataclass
class Rig(Generic[J]):
    engine: Engine[J]
    events: EventWaiter
    running: asyncio.Task[None]

    async def ended(self) -> None:
        """Wait for the end of the engine, and raise what it raised."""
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.shield(self.running)

    def saw(self, kind: type[Event]) -> int:
        return self.events.count(kind)


@asynccontextmanager
async def working(
    source: Source[J],
    handler: Callable[[J], Awaitable[object]],
    **options: int,
) -> AsyncIterator[Rig[J]]:
    """An engine that works with a coroutine function, until the end of the block at the latest."""
    async with running(source, LoopExecutor(handler, bind=same), **options) as rig:
        yield rig


@asynccontextmanager
async def working_in_threads(
    source: Source[J], handler: Callable[[J], object], **options: int
) -> AsyncIterator[Rig[J]]:
    """An engine that works with a plain function."""
    threads = options.get("concurrency", 1)
    executor = ThreadExecutor(handler, bind=same, threads=threads)
    async with running(source, executor, **options) as rig:
        yield rig


@asynccontextmanager
async def running(
    source: Source[J], executor: Executor[J], **options: int
) -> AsyncIterator[Rig[J]]:
    """An engine that works with this executor."""
    emitter = Emitter()
    events = EventWaiter(emitter)
    engine = Engine(
        source,
        executor,
        queue="queue",
        worker="worker",
        options=EngineOptions(**options),
        emitter=emitter,
    )
    running = asyncio.create_task(engine.run())
    try:
        yield Rig(engine, events, running)
    finally:
        engine.stop_now()
        if isinstance(source, ManualSource):
            source.let_go()
        await asyncio.wait([running])


@dataclass
class Handlers:
    """A handler that reports when it starts and ends when it is told to."""

    started: list[str] = field(default_factory=list)
    cancelled: list[str] = field(default_factory=list)
    ends: dict[str, asyncio.Event] = field(default_factory=dict)

    async def __call__(self, job: str) -> str:
        self.started.append(job)
        try:
            await self._end_of(job).wait()
        except asyncio.CancelledError:
            self.cancelled.append(job)
            raise
        return f"{job} done"

    def finish(self, *jobs: str) -> None:
        for job in jobs:
            self._end_of(job).set()

    def _end_of(self, job: str) -> asyncio.Event:
        return self.ends.setdefault(job, asyncio.Event())
