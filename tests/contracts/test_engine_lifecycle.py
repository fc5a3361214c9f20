"""The engine bears being started and stopped in any order."""

import asyncio
import threading

import pytest
from tests.contracts.service import Service, stop_before_start, stop_twice, stress
from tests.support.virtual_time import pass_ticks

from toril.runtime import Engine, EngineOptions, LoopExecutor
from toril.telemetry.emitter import Emitter
from toril.testing import JobState, MemoryJob, MemoryQueue, MemorySource


class Engines:
    def __init__(self) -> None:
        self.queues: list[MemoryQueue] = []

    def make(self) -> Service:
        async def handler(_job: MemoryJob) -> None:
            await pass_ticks()

        queue = MemoryQueue()
        self.queues.append(queue)
        for _ in range(10):
            queue.add()
        return Engine(
            MemorySource(queue),
            LoopExecutor(handler, bind=lambda job, _stop: job),
            queue="queue",
            worker="worker",
            options=EngineOptions(concurrency=3),
            emitter=Emitter(),
        )


@pytest.mark.parametrize("seed", range(3))
async def test_fifty_callers_may_start_and_stop_it_at_once(seed: int) -> None:
    engines, before, threads = Engines(), asyncio.all_tasks(), _threads()

    await stress(engines.make, seed=seed)

    assert asyncio.all_tasks() == before
    assert _threads() <= threads
    assert [queue.counts()[JobState.ACTIVE] for queue in engines.queues] == [0] * 10


async def test_it_may_be_stopped_more_than_once() -> None:
    await stop_twice(Engines().make)


async def test_it_may_be_stopped_before_it_starts() -> None:
    await stop_before_start(Engines().make)


def _threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("toril")}
