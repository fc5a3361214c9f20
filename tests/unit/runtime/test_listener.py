"""An engine hears of cancelled jobs soon, and asks for them only while a handler takes its time."""

import asyncio

from tests.support.virtual_time import pass_time
from tests.unit.runtime.manual_source import ManualSource
from tests.unit.runtime.rig import Handlers, quiet, working

from toril.core.errors import JobCancelledError, UnavailableError
from toril.runtime.source import Lease, Raised
from toril.telemetry.events import ExchangeFailed, JobStopping

A = Lease("a", "token")


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_a_running_job_that_is_cancelled_is_stopped_within_a_second() -> None:
    for begins_after_s in (0.0, 0.1, 0.3, 0.39):
        source, handlers = ManualSource(), Handlers()
        async with working(source, handlers) as rig:
            await pass_time(begins_after_s)
            (await source.next_exchange()).answer("a")
            await quiet()
            began = now()

            source.cancelled_jobs = [A]
            await rig.events.next(JobStopping, job_id="a", reason="cancelled")

            assert now() - began < 1
            [outcome] = (await source.next_settlement()).outcomes
            assert isinstance(outcome.ending, Raised)
            assert isinstance(outcome.ending.error, JobCancelledError)


async def test_an_idle_engine_does_not_ask() -> None:
    source = ManualSource()
    async with working(source, Handlers()):
        (await source.next_exchange()).answer()
        await pass_time(60)

    assert source.asked_for_cancelled == 0


async def test_an_engine_of_short_jobs_does_not_ask() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers):
        (await source.next_exchange()).answer("job 0")
        for number in range(40):
            await pass_time(0.1)
            handlers.finish(f"job {number}")
            (await source.next_settlement()).answer(f"job {number + 1}")

        assert source.asked_for_cancelled == 0


async def test_an_engine_asks_about_twice_a_second_however_many_handlers_run() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=40):
        (await source.next_exchange()).answer(*(f"job {number}" for number in range(40)))
        await pass_time(20)

        assert 45 <= source.asked_for_cancelled <= 50


async def test_an_engine_that_drains_still_hears() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        (await source.next_exchange()).answer("a")
        await quiet()
        rig.engine.drain()
        source.cancelled_jobs = [A]

        [outcome] = (await source.next_settlement()).outcomes

        assert isinstance(outcome.ending, Raised)
        assert outcome.ending.final


async def test_a_store_that_cannot_be_asked_is_asked_again_less_and_less_often() -> None:
    source, handlers = ManualSource(), Handlers()
    source.errors["cancelled"] = [UnavailableError("server", "gone") for _ in range(4)]
    async with working(source, handlers) as rig:
        (await source.next_exchange()).answer("a")
        source.cancelled_jobs = [A]

        await rig.events.next(JobStopping, job_id="a")

        assert rig.saw(ExchangeFailed) == 4
