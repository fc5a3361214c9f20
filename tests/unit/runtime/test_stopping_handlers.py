"""A handler that takes too long, or whose job is cancelled, is told to stop and then given up."""

import asyncio

import pytest
from tests.support.virtual_time import for_ever, pass_time
from tests.unit.runtime.manual_source import ManualSource, claimed
from tests.unit.runtime.rig import Handlers, quiet, working

from toril.core.errors import HandlerTimeoutError, JobCancelledError
from toril.core.outcome import Delay
from toril.runtime.source import Claimed, Lease, Raised, Returned
from toril.runtime.stop import StopReason
from toril.telemetry.events import JobAbandoned, JobStopping, JobSuperseded, LeaseLost

A = Lease("a", "token")


def limited(job_id: str, timeout_ms: int = 1_000) -> Claimed[str]:
    return Claimed(Lease(job_id, "token"), job_id, timeout_ms=timeout_ms)


class Deaf:
    """A handler that does not stop when it is told to."""

    def __init__(self) -> None:
        self.gate = asyncio.Event()
        self.began: list[str] = []

    async def __call__(self, job: str) -> str:
        self.began.append(job)
        while not self.gate.is_set():
            try:
                await self.gate.wait()
            except asyncio.CancelledError:
                continue
        return "too late"


async def test_a_handler_that_takes_too_long_is_cancelled_and_its_attempt_fails() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        (await source.next_exchange()).answer(limited("a", timeout_ms=1_500))
        [outcome] = (await source.next_settlement()).outcomes

        assert handlers.cancelled == ["a"]
        assert isinstance(outcome.ending, Raised)
        assert isinstance(outcome.ending.error, HandlerTimeoutError)
        assert str(outcome.ending.error) == "the handler did not end within 1.5 s"
        assert not outcome.ending.final
        assert isinstance(outcome.ending.error.__cause__, asyncio.CancelledError)
        await rig.events.next(JobStopping, job_id="a", reason="timeout")


async def test_a_handler_that_ends_in_time_hears_nothing() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=2) as rig:
        (await source.next_exchange()).answer(limited("a"))
        await quiet()
        handlers.finish("a")
        [outcome] = (await source.next_settlement()).outcomes
        await pass_time(5)

        assert outcome.ending == Returned("a done")
        assert rig.saw(JobStopping) == 0


@pytest.mark.parametrize(
    "late", [lambda: "a result", lambda: Delay(until=5)], ids=["result", "wish"]
)
async def test_what_a_handler_returns_after_its_time_does_not_count(late: object) -> None:
    source = ManualSource()

    async def stubborn(_job: str) -> object:
        try:
            await for_ever()
        except asyncio.CancelledError:
            return late()  # type: ignore[operator]

    async with working(source, stubborn):
        (await source.next_exchange()).answer(limited("a"))
        [outcome] = (await source.next_settlement()).outcomes

        assert isinstance(outcome.ending, Raised)
        assert isinstance(outcome.ending.error, HandlerTimeoutError)


async def test_a_handler_that_goes_on_is_given_up_and_keeps_its_slot_until_it_ends() -> None:
    source, deaf = ManualSource(), Deaf()
    async with working(source, deaf) as rig:
        (await source.next_exchange()).answer(limited("a"))
        call = await source.next_settlement()
        await rig.events.next(JobAbandoned, job_id="a")
        assert isinstance(call.outcomes[0].ending, Raised)
        assert call.want == 0
        call.answer()
        await quiet()
        health = rig.engine.health()
        assert (health.running, health.stuck) == (0, 1)

        deaf.gate.set()

        assert (await source.next_exchange()).want == 1
        assert rig.engine.health().stuck == 0
        assert rig.saw(JobSuperseded) == 0


async def test_a_job_is_tried_again_beside_the_handler_that_was_given_up() -> None:
    source, deaf = ManualSource(), Deaf()
    async with working(source, deaf, concurrency=2) as rig:
        (await source.next_exchange()).answer(limited("a"))
        (await source.next_settlement()).answer()
        (await source.next_wait()).answer(claimed("a", token="again"))  # noqa: S106
        await quiet()

        assert deaf.began == ["a", "a"]
        assert rig.saw(LeaseLost) == 0
        deaf.gate.set()


async def test_handlers_that_were_given_up_do_not_hold_up_a_shutdown() -> None:
    source, deaf = ManualSource(), Deaf()
    async with working(source, deaf) as rig:
        (await source.next_exchange()).answer(limited("a"))
        (await source.next_settlement()).answer()
        await quiet()
        loop = asyncio.get_running_loop()
        began = loop.time()

        rig.engine.drain()
        source.let_go()
        await rig.ended()

        assert loop.time() - began < 1
        assert source.returned == []
        deaf.gate.set()


async def test_a_cancelled_job_fails_for_good_whatever_its_handler_returns() -> None:
    source = ManualSource()

    async def stubborn(_job: str) -> str:
        try:
            await for_ever()
        except asyncio.CancelledError:
            return "done even so"
        return "unreachable"

    async with working(source, stubborn) as rig:
        (await source.next_exchange()).answer("a")
        await quiet()
        rig.engine._runs.cancel([A])
        [outcome] = (await source.next_settlement()).outcomes

        assert isinstance(outcome.ending, Raised)
        assert isinstance(outcome.ending.error, JobCancelledError)
        assert outcome.ending.final
        await rig.events.next(JobStopping, job_id="a", reason="cancelled")


async def test_a_handler_is_told_once_however_often_its_job_is_cancelled() -> None:
    source, handlers = ManualSource(), Deaf()
    async with working(source, handlers) as rig:
        (await source.next_exchange()).answer("a")
        await quiet()
        for _ in range(5):
            rig.engine._runs.cancel([A])
            await pass_time(0.3)

        assert rig.saw(JobStopping) == 1
        handlers.gate.set()


async def test_a_job_that_is_cancelled_before_its_handler_began_never_begins() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        started = rig.engine._runs.start

        def start_and_cancel(claim: Claimed[str]) -> None:
            started(claim)
            rig.engine._runs.cancel([claim.lease])

        rig.engine._runs.start = start_and_cancel  # type: ignore[method-assign]
        (await source.next_exchange()).answer("a")
        [outcome] = (await source.next_settlement()).outcomes

        assert isinstance(outcome.ending, Raised)
        assert isinstance(outcome.ending.error, JobCancelledError)
        assert handlers.started == []


async def test_a_job_that_ended_before_it_was_cancelled_has_ended() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        (await source.next_exchange()).answer("a")
        handlers.finish("a")
        call = await source.next_settlement()

        rig.engine._runs.cancel([A])

        assert call.outcomes[0].ending == Returned("a done")
        assert rig.saw(JobStopping) == 0


async def test_a_cancelled_job_that_waits_for_its_old_run_fails_without_running() -> None:
    source, deaf = ManualSource(), Deaf()
    async with working(source, deaf, concurrency=2) as rig:
        (await source.next_exchange()).answer("a")
        await quiet()
        (await source.next_wait()).answer(claimed("a", token="second"))  # noqa: S106
        await rig.events.next(LeaseLost, job_id="a")

        rig.engine._runs.cancel([Lease("a", "second")])

        [outcome] = (await source.next_settlement()).outcomes
        assert outcome.claimed.lease == Lease("a", "second")
        assert isinstance(outcome.ending, Raised)
        assert isinstance(outcome.ending.error, JobCancelledError)
        deaf.gate.set()


async def test_a_job_that_is_cancelled_while_its_worker_stops_fails_and_does_not_go_back() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        (await source.next_exchange()).answer("a")
        await quiet()
        rig.engine.drain()
        rig.engine._runs.cancel([A])
        [outcome] = (await source.next_settlement()).outcomes

        assert isinstance(outcome.ending, Raised)
        assert outcome.ending.final


async def test_a_lost_lease_outranks_every_other_reason() -> None:
    source, deaf = ManualSource(), Deaf()
    async with working(source, deaf) as rig:
        (await source.next_exchange()).answer(limited("a"))
        await quiet()
        rig.engine._runs.lose([A])
        rig.engine._runs.cancel([A])
        await pass_time(10)
        assert (rig.saw(JobStopping), rig.saw(JobAbandoned)) == (0, 0)
        assert rig.engine.health().running == 1

        deaf.gate.set()

        await rig.events.next(JobSuperseded, job_id="a")
        assert rig.engine.health().unsettled == 0


async def test_a_lease_lost_after_the_end_of_its_time_is_left_to_its_new_owner() -> None:
    source, deaf = ManualSource(), Deaf()
    async with working(source, deaf) as rig:
        (await source.next_exchange()).answer(limited("a"))
        await rig.events.next(JobStopping, job_id="a", reason=StopReason.TIMEOUT.value)

        rig.engine._runs.lose([A])
        await pass_time(10)
        deaf.gate.set()

        await rig.events.next(JobSuperseded, job_id="a")
        assert rig.saw(JobAbandoned) == 0
