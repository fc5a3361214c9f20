"""What needs real threads and real time: a blocked loop keeps its leases, nothing is left over."""

import asyncio
import signal
import threading
from collections.abc import Sequence

from tests.support.virtual_time import for_ever
from tests.unit.runtime.rig import same, working, working_in_threads

from toril.runtime import Engine, EngineOptions, Lease, LoopExecutor, LoopThread, stop_signals
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import ExchangeFailed, JobClaimed, JobCompleted, LeaseLost
from toril.testing import MemoryJob, MemoryQueue, MemorySource

PATIENCE_S = 10


def threads() -> set[threading.Thread]:
    """Those of ours; tests before may have left the toolkit something to do in one."""
    return {thread for thread in threading.enumerate() if thread.name.startswith("toril")}


class Watched(MemorySource):
    """Tells when leases were renewed so and so often."""

    def __init__(self, queue: MemoryQueue, renewals: int) -> None:
        super().__init__(queue)
        self._renewals = renewals
        self.renewed_enough = threading.Event()

    def renew(self, leases: Sequence[Lease]) -> Sequence[Lease]:
        self._renewals -= 1
        if self._renewals <= 0:
            self.renewed_enough.set()
        return super().renew(leases)


async def test_a_blocked_loop_keeps_its_leases() -> None:
    queue = MemoryQueue(lease=0.3)
    source = Watched(queue, renewals=4)

    async def block(_job: MemoryJob) -> None:
        assert source.renewed_enough.wait(PATIENCE_S)

    job_id = queue.add()
    async with working(source, block, lease_ms=300) as rig:
        await rig.events.next(JobCompleted, job_id=job_id, timeout=PATIENCE_S)

        assert rig.saw(LeaseLost) == 0
        assert queue.job(job_id).losses == 0


async def test_a_handler_hears_of_its_lost_lease_from_the_keeper() -> None:
    queue, cancelled = MemoryQueue(), asyncio.Event()

    async def handler(_job: MemoryJob) -> None:
        try:
            await for_ever()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    job_id = queue.add()
    async with working(MemorySource(queue), handler, lease_ms=300) as rig:
        await rig.events.next(JobClaimed, job_id=job_id, timeout=PATIENCE_S)
        queue.break_lease(job_id)

        await rig.events.next(LeaseLost, job_id=job_id, timeout=PATIENCE_S)
        async with asyncio.timeout(PATIENCE_S):
            await cancelled.wait()


async def test_a_renewal_that_fails_is_reported() -> None:
    queue, gate = MemoryQueue(), asyncio.Event()

    async def handler(_job: MemoryJob) -> None:
        queue.is_down = True
        await gate.wait()

    queue.add()
    async with working(MemorySource(queue), handler, lease_ms=300) as rig:
        await rig.events.next(ExchangeFailed, timeout=PATIENCE_S)
        queue.is_down = False
        gate.set()


async def test_nothing_is_left_of_an_engine() -> None:
    queue = MemoryQueue()
    before, threads_before = asyncio.all_tasks(), threads()
    ids = [queue.add() for _ in range(20)]
    async with working_in_threads(MemorySource(queue), lambda _job: None, concurrency=4) as rig:
        for job_id in ids:
            await rig.events.next(JobCompleted, job_id=job_id, timeout=PATIENCE_S)
        rig.engine.drain()
        await rig.ended()

    assert asyncio.all_tasks() == before
    assert threads() <= threads_before


def test_a_signal_drains_an_engine_that_runs_on_another_thread() -> None:
    queue, emitter, threads_before = MemoryQueue(), Emitter(), threads()

    async def handler(_job: MemoryJob) -> str:
        signal.raise_signal(signal.SIGTERM)
        return "done"

    with LoopThread("worker") as loop:
        engine = loop.run(make_engine(queue, handler, emitter))
        with stop_signals(first=engine.drain, second=engine.stop_now):
            job_id = queue.add()
            loop.run(engine.run())

    assert queue.job(job_id).result == "done"
    assert threads() <= threads_before


async def make_engine(queue: MemoryQueue, handler: object, emitter: Emitter) -> Engine[MemoryJob]:
    return Engine(
        MemorySource(queue),
        LoopExecutor(handler, bind=same),  # type: ignore[arg-type]
        queue="queue",
        worker="worker",
        options=EngineOptions(),
        emitter=emitter,
    )
