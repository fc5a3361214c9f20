"""Plain functions run in threads, which the engine can leave but not stop."""

import asyncio
import threading

import pytest
from tests.support.servers import wait_until
from tests.unit.runtime.manual_source import ManualSource
from tests.unit.runtime.rig import running, working_in_threads

from toril.runtime import StopReason, StopSignal, ThreadExecutor
from toril.runtime.source import Claimed, Lease, Raised
from toril.telemetry.events import JobAbandoned, JobSuperseded, LeaseLost

A = Lease("a", "token")


async def test_a_thread_runs_on_after_the_loss_and_its_outcome_is_dropped() -> None:
    source, started, gate = ManualSource(), threading.Event(), threading.Event()

    def handler(_job: str) -> str:
        started.set()
        assert gate.wait(5)
        return "too late"

    async with working_in_threads(source, handler) as rig:
        (await source.next_exchange()).answer("a")
        assert await asyncio.to_thread(started.wait, 5)
        rig.engine._runs.lose([A])
        await rig.events.next(LeaseLost, job_id="a")
        assert rig.engine.health().running == 1

        gate.set()

        await rig.events.next(JobSuperseded, job_id="a")


async def test_plain_functions_work_in_as_many_threads_as_there_are_slots() -> None:
    source, everybody = ManualSource(), threading.Barrier(4)

    def handler(job: str) -> str:
        everybody.wait(5)
        return job

    async with working_in_threads(source, handler, concurrency=4):
        (await source.next_exchange()).answer("a", "b", "c", "d")
        settled: list[str] = []
        while len(settled) < 4:
            call = await source.next_settlement()
            settled += call.settles
            call.answer()

    assert sorted(settled) == ["a", "b", "c", "d"]


async def test_a_thread_that_does_not_end_is_abandoned_and_its_job_given_back() -> None:
    source, started, gate = ManualSource(), threading.Event(), threading.Event()

    def stuck(_job: str) -> None:
        started.set()
        assert gate.wait(10)

    async with working_in_threads(source, stuck, grace_ms=10) as rig:
        (await source.next_exchange()).answer("a")
        assert await asyncio.to_thread(started.wait, 5)

        rig.engine.stop_now()
        await rig.ended()

        assert source.returned == [A]
        assert rig.saw(JobAbandoned) == 1
    gate.set()


@pytest.mark.parametrize(
    ("tell", "reason"),
    [
        ("lose", StopReason.LEASE_LOST),
        ("cancel", StopReason.CANCELLED),
        ("time_out", StopReason.TIMEOUT),
        ("stop", StopReason.SHUTDOWN),
    ],
)
async def test_a_plain_function_sees_why_it_is_to_stop(tell: str, reason: StopReason) -> None:
    source, started = ManualSource(), threading.Event()
    seen: list[StopReason | None] = []

    def handler(signal: StopSignal) -> None:
        seen.append(signal.stop)
        started.set()
        wait_until(lambda: signal.stop is not None, "the handler is told")
        seen.append(signal.stop)

    executor = ThreadExecutor(handler, bind=lambda _job, signal: signal, threads=1)
    async with running(source, executor) as rig:
        timeout_ms = 50 if tell == "time_out" else None
        (await source.next_exchange()).answer(Claimed(A, "a", timeout_ms=timeout_ms))
        assert await asyncio.to_thread(started.wait, 5)
        match tell:
            case "lose":
                rig.engine._runs.lose([A])
                await rig.events.next(JobSuperseded, job_id="a")
            case "stop":
                rig.engine.stop_now()
                (await source.next_settlement()).answer()
            case "cancel":
                rig.engine._runs.cancel([A])
                (await source.next_settlement()).answer()
            case _:
                (await source.next_settlement()).answer()

    assert seen == [None, reason]


async def test_a_thread_that_goes_on_after_its_time_is_given_up_and_counted() -> None:
    source, gate = ManualSource(), threading.Event()

    def stuck(_job: str) -> None:
        assert gate.wait(10)

    async with working_in_threads(source, stuck, grace_ms=10) as rig:
        (await source.next_exchange()).answer(Claimed(A, "a", timeout_ms=10))
        call = await source.next_settlement()
        assert isinstance(call.outcomes[0].ending, Raised)
        assert (call.want, rig.engine.health().stuck) == (0, 1)
        call.answer()

        gate.set()

        assert (await source.next_exchange()).want == 1
        assert rig.engine.health().stuck == 0
