"""An engine that is asked to stop ends within its time, and leaves no job behind."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from tests.support.virtual_time import for_ever, pass_time
from tests.unit.runtime.manual_source import Call, ManualSource
from tests.unit.runtime.rig import Handlers, Rig, quiet, working

from toril.core.errors import UnavailableError
from toril.core.outcome import GiveBack
from toril.runtime import State
from toril.runtime.source import Effect, Raised, Returned, Said
from toril.telemetry.events import (
    JobAbandoned,
    JobClaimed,
    JobCompleted,
    JobGivenBack,
    WorkerDraining,
    WorkerStopped,
)

DOWN = UnavailableError("server", "gone")


def now() -> float:
    return asyncio.get_running_loop().time()


async def stubborn(_job: str) -> None:
    """Swallow every cancellation, for ten minutes."""
    end = now() + 600
    while now() < end:
        try:
            await pass_time(end - now())
        except asyncio.CancelledError:
            continue


async def with_one_job(source: ManualSource, rig: Rig[str]) -> None:
    (await source.next_exchange()).answer("a")
    await rig.events.next(JobClaimed)
    await quiet()


def returned(source: ManualSource) -> list[str] | None:
    return None if source.returned is None else [lease.job_id for lease in source.returned]


async def test_an_idle_engine_stops_at_once() -> None:
    source = ManualSource()
    async with working(source, Handlers()) as rig:
        (await source.next_exchange()).answer(next_in_ms=60_000)
        wait = await source.next_wait()
        rig.engine.drain()
        (await source.next_exchange()).answer()

        await rig.ended()

        assert now() < 1
        assert rig.engine._alarm._handle is None
        assert wait.reply.cancelled()
        assert (source.is_closed, returned(source)) == (True, [])
        assert rig.engine.health().state is State.STOPPED
        assert (await rig.events.next(WorkerStopped)).given_back == 0


async def test_a_draining_engine_claims_nothing_and_settles_what_it_has() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=2) as rig:
        (await source.next_exchange()).answer("a", "b")
        await quiet()

        rig.engine.drain()

        assert (await rig.events.next(WorkerDraining)).running == 2
        assert rig.engine.health().state is State.DRAINING
        handlers.finish("a")
        call = await source.next_exchange()
        assert (call.settles, call.want) == (["a"], 0)
        call.answer()
        handlers.finish("b")
        (await source.next_exchange()).answer()
        await rig.ended()
        assert (rig.saw(JobCompleted), returned(source)) == (2, [])


async def test_what_is_claimed_while_draining_goes_back_uncounted() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=2) as rig:
        call = await source.next_exchange()
        rig.engine.drain()
        await quiet()

        call.answer("late")

        back = await source.next_exchange()
        assert isinstance(back.outcomes[0].ending, Said)
        assert isinstance(back.outcomes[0].ending.what, GiveBack)
        back.answer(effect=Effect.GIVEN_BACK)
        await rig.ended()
        assert (await rig.events.next(WorkerStopped)).given_back == 1
        assert (handlers.started, rig.saw(JobGivenBack)) == ([], 1)


async def test_what_handlers_gave_back_before_is_not_counted() -> None:
    async def not_now(_job: str) -> GiveBack:
        return GiveBack()

    source = ManualSource()
    async with working(source, not_now) as rig:
        (await source.next_exchange()).answer("a")
        (await source.next_exchange()).answer(effect=Effect.GIVEN_BACK)
        await rig.events.next(JobGivenBack)
        source.let_go()
        rig.engine.drain()

        assert (await rig.events.next(WorkerStopped)).given_back == 0


async def test_a_claim_lost_with_the_doorbell_is_looked_for_while_handlers_still_run() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=2) as rig:
        (await source.next_exchange()).answer("a")
        await source.next_wait()
        rig.engine.drain()

        call = await source.next_exchange()

        assert (call.outcomes, call.want) == ([], 0)
        call.answer("found again")
        assert (await source.next_exchange()).settles == ["found again"]


async def test_handlers_that_outlast_the_drain_are_cancelled_and_given_back() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        await with_one_job(source, rig)
        rig.engine.drain()

        call = await source.next_exchange()

        assert 25 <= now() < 25.1
        assert handlers.cancelled == ["a"]
        assert isinstance(call.outcomes[0].ending, Said)
        call.answer(effect=Effect.GIVEN_BACK)
        await rig.ended()
        assert now() < 26
        assert (await rig.events.next(WorkerStopped)).given_back == 1


async def test_a_second_request_cancels_and_gives_back_at_once() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        await with_one_job(source, rig)
        rig.engine.drain()
        await pass_time(3)

        rig.engine.stop_now()

        (await source.next_exchange()).answer(effect=Effect.GIVEN_BACK)
        await rig.ended()
        assert handlers.cancelled == ["a"]
        assert now() < 4


async def test_a_job_that_was_claimed_but_not_started_is_given_back_unstarted() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        call = await source.next_exchange()
        call.answer("a")
        await rig.events.next(JobClaimed)
        rig.engine.stop_now()

        back = await source.next_exchange()

        assert back.settles == ["a"]
        assert isinstance(back.outcomes[0].ending, Said)


async def test_a_handler_that_ends_well_though_cancelled_is_settled() -> None:
    async def saves_itself(job: str) -> str:
        try:
            await for_ever()
        except asyncio.CancelledError:
            return f"{job} saved"
        return "never"

    source = ManualSource()
    async with working(source, saves_itself) as rig:
        await with_one_job(source, rig)
        rig.engine.stop_now()

        [outcome] = (await source.next_exchange()).outcomes

        assert outcome.ending == Returned("a saved")


async def test_an_error_while_cleaning_up_is_not_a_failure_of_the_job() -> None:
    async def trips(_job: str) -> None:
        try:
            await for_ever()
        finally:
            raise RuntimeError("closed already")

    source = ManualSource()
    async with working(source, trips) as rig:
        await with_one_job(source, rig)
        rig.engine.stop_now()

        [outcome] = (await source.next_exchange()).outcomes

        assert isinstance(outcome.ending, Said)


async def test_a_handler_that_swallows_its_cancellation_is_abandoned() -> None:
    source = ManualSource()
    async with working(source, stubborn) as rig:
        await with_one_job(source, rig)
        rig.engine.drain()

        await rig.ended()

        assert 27 <= now() <= 30
        assert returned(source) == ["a"]
        assert rig.saw(JobAbandoned) == 1
        assert (await rig.events.next(WorkerStopped)).given_back == 1


async def down(call: Call) -> None:
    call.fail(DOWN)


async def silent(_call: Call) -> None:
    """The store says nothing at all."""


@pytest.mark.parametrize("store", [down, silent], ids=["down", "silent"])
@pytest.mark.parametrize("handler", ["done", "running", "stubborn"])
async def test_shutdown_is_bounded_though_the_store_is_away(
    handler: str, store: Callable[[Call], Awaitable[None]]
) -> None:
    source, handlers = ManualSource(), Handlers()
    source.errors["give_back"] = [DOWN]
    async with working(source, stubborn if handler == "stubborn" else handlers) as rig:
        await with_one_job(source, rig)
        if handler == "done":
            handlers.finish("a")
        rig.engine.drain()

        async def answer() -> None:
            while True:
                await store(await source.next_exchange())

        answering = asyncio.create_task(answer())
        await rig.ended()
        answering.cancel()

        assert 25 <= now() <= 30
        assert returned(source) == ["a"]
        assert source.is_closed


async def test_stopping_at_once_is_quick_though_the_store_is_silent() -> None:
    source = ManualSource()
    async with working(source, stubborn) as rig:
        await with_one_job(source, rig)

        rig.engine.stop_now()
        await rig.ended()

        assert now() < 4


class Hanging(ManualSource):
    async def close(self) -> None:
        await for_ever()

    async def give_back(self, _leases: object) -> int:
        await for_ever()
        return 0


async def test_a_store_that_hangs_while_it_closes_is_left_behind() -> None:
    source = Hanging()
    async with working(source, Handlers()) as rig:
        await with_one_job(source, rig)
        rig.engine.drain()

        await rig.ended()

        assert 25 <= now() <= 30


async def test_stopping_at_once_does_not_wait_for_a_store_that_hangs() -> None:
    source = Hanging()
    async with working(source, stubborn) as rig:
        await with_one_job(source, rig)
        rig.engine.stop_now()

        await rig.ended()

        assert now() < 5


async def test_an_engine_that_is_stopped_before_it_starts_does_nothing() -> None:
    source = ManualSource()
    async with working(source, Handlers()) as rig:
        rig.engine.drain()

        await rig.ended()

        assert rig.events.seen == ()
        assert source.is_closed


async def test_an_engine_can_be_stopped_while_its_store_is_away_from_the_start() -> None:
    source = ManualSource()
    source.errors["open"] = [DOWN] * 1_000
    async with working(source, Handlers()) as rig:
        await pass_time(10)
        rig.engine.drain()

        await rig.ended()

        assert now() < 11


async def test_a_cancelled_run_gives_its_jobs_back_first() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        await with_one_job(source, rig)

        rig.running.cancel()
        (await source.next_exchange()).answer(effect=Effect.GIVEN_BACK)

        with pytest.raises(asyncio.CancelledError):
            await rig.running
        assert handlers.cancelled == ["a"]
        assert source.is_closed


async def test_a_run_cancelled_twice_still_lets_go_of_everything() -> None:
    source = ManualSource()
    before = asyncio.all_tasks()
    async with working(source, Handlers()) as rig:
        await with_one_job(source, rig)
        rig.running.cancel()
        await pass_time(0.1)
        rig.running.cancel()

        with pytest.raises(asyncio.CancelledError):
            await rig.running
        await quiet()

        assert source.is_closed
        assert {
            t.get_name() for t in asyncio.all_tasks() - before if "toril" in t.get_name()
        } == set()


async def test_stopping_many_times_is_stopping() -> None:
    source = ManualSource()
    async with working(source, Handlers()) as rig:
        (await source.next_exchange()).answer()
        source.let_go()
        for _ in range(5):
            rig.engine.drain()
            rig.engine.stop_now()
        await rig.ended()

        rig.engine.drain()
        rig.engine.stop_now()
        rig.engine.pause()
        rig.engine.resume()

        assert rig.saw(WorkerStopped) == 1


async def test_a_failure_of_its_own_is_settled_by_a_draining_engine_as_a_failure() -> None:
    source = ManualSource()
    error = ValueError("oops")
    gate = asyncio.Event()

    async def fails(_job: str) -> None:
        await gate.wait()
        raise error

    async with working(source, fails) as rig:
        await with_one_job(source, rig)
        rig.engine.drain()
        gate.set()

        [outcome] = (await source.next_exchange()).outcomes

        assert outcome.ending == Raised(error)
