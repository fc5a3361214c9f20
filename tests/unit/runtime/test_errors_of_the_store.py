"""A worker outlives every error of its store, and none of its own."""

import asyncio
from itertools import pairwise

import pytest
from tests.support.virtual_time import pass_time
from tests.unit.runtime.manual_source import ManualSource
from tests.unit.runtime.rig import Handlers, quiet, working

from toril.core.errors import (
    AlreadyStartedError,
    DeniedError,
    OutcomeUnknownError,
    ScriptError,
    UnavailableError,
    UnexpectedReplyError,
    WorkerBrokenError,
)
from toril.runtime import State
from toril.runtime.source import Exchange, Reaped
from toril.telemetry.events import ExchangeFailed, JobClaimed, JobCompleted, JobsRecovered

DOWN = UnavailableError("server", "gone")


async def at_once(job: str) -> str:
    return job


@pytest.mark.parametrize(
    "error",
    [
        DOWN,
        OutcomeUnknownError("claim", "server"),
        DeniedError("server", "NOPERM"),
        ScriptError("claim", "WRONGTYPE"),
        UnexpectedReplyError("claim", None),
        RuntimeError("a bug of the source"),
        TimeoutError(),
    ],
    ids=lambda error: type(error).__name__,
)
async def test_an_exchange_that_failed_is_made_again(error: Exception) -> None:
    source = ManualSource()
    async with working(source, at_once) as rig:
        (await source.next_exchange()).answer("a")
        (await source.next_exchange()).fail(error)
        failed = await rig.events.next(ExchangeFailed)

        again = await source.next_exchange()

        assert (again.settles, again.want) == (["a"], 1)
        assert type(error).__name__ in failed.problem
        assert type(error).__name__ in rig.engine.health().problem
        again.answer()
        await rig.events.next(JobCompleted, job_id="a")
        assert rig.engine.health().problem == ""


async def test_pauses_between_failures_grow_to_two_seconds() -> None:
    source, times = ManualSource(), []
    async with working(source, at_once):
        for _ in range(12):
            call = await source.next_exchange()
            times.append(call.at_s)
            call.fail(DOWN)

    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert 0.025 <= pauses[0] <= 0.05
    assert all(1 <= pause <= 2 for pause in pauses[6:])


async def test_two_lanes_hold_back_together_and_one_of_them_tries() -> None:
    source, calls = ManualSource(), 0
    async with working(source, at_once, concurrency=100):
        loop = asyncio.get_running_loop()
        while loop.time() < 60:
            (await source.next_exchange()).fail(DOWN)
            calls += 1

    assert calls < 60


async def test_outcomes_that_were_not_sent_keep_their_order() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=4):
        (await source.next_exchange()).answer("a", "b", "c", "d")
        await quiet()
        handlers.finish("a", "b")
        call = await source.next_exchange()
        handlers.finish("c", "d")
        await quiet()

        call.fail(DOWN)

        assert (await source.next_exchange()).settles == ["a", "b", "c", "d"]


async def test_one_outcome_that_breaks_its_exchange_does_not_keep_the_others() -> None:
    source = ManualSource()
    settled: list[str] = []
    async with working(source, at_once, concurrency=4):
        (await source.next_exchange()).answer("a", "poison", "c", "d")
        while len(settled) < 3:
            call = await source.next_exchange()
            if "poison" in call.settles:
                call.fail(ScriptError("settle", "it cannot be stored"))
            else:
                settled += call.settles
                call.answer()

    assert sorted(settled) == ["a", "c", "d"]


async def test_a_store_that_is_away_at_the_start_is_waited_for() -> None:
    source = ManualSource()
    source.errors["open"] = [DOWN, DOWN]
    async with working(source, at_once) as rig:
        await source.next_exchange()

        assert (source.opens, rig.saw(ExchangeFailed)) == (3, 2)


async def test_a_store_that_can_never_work_ends_the_run_at_once() -> None:
    source = ManualSource()
    source.errors["open"] = [DeniedError("server", "WRONGPASS")]
    async with working(source, at_once) as rig:
        with pytest.raises(DeniedError, match="WRONGPASS"):
            await rig.ended()

        assert source.is_closed
        assert rig.engine.health().state is State.STOPPED


async def test_reaping_goes_on_after_an_error() -> None:
    source = ManualSource()
    source.errors["reap"] = [DOWN]
    source.reaped = Reaped(["a"], ["b"], 30_000)
    async with working(source, at_once) as rig:
        await rig.events.next(ExchangeFailed)

        recovered = await rig.events.next(JobsRecovered)

        assert (recovered.recovered, recovered.exhausted) == (("a",), ("b",))


async def test_the_store_is_reaped_as_often_as_it_wants() -> None:
    source = ManualSource()
    async with working(source, at_once) as rig:
        await pass_time(89)

        assert (source.reaps, rig.saw(JobsRecovered)) == (3, 0)


async def test_a_bug_ends_the_run_with_its_error() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        (await source.next_exchange()).answer("a")
        handlers.finish("a")
        call = await source.next_exchange()
        call.reply.set_result(Exchange(settled=(), claimed=()))
        await quiet()
        source.let_go()

        with pytest.raises(ValueError, match="argument 2 is shorter"):
            await rig.ended()


@pytest.mark.parametrize("part", ["exchange lane", "doorbell", "reaper"])
async def test_a_part_that_is_cancelled_from_outside_ends_the_run(part: str) -> None:
    source = ManualSource()
    async with working(source, at_once) as rig:
        (await source.next_exchange()).answer()
        await source.next_wait()
        [task, *_] = [task for task in asyncio.all_tasks() if f"toril {part}" in task.get_name()]

        task.cancel()
        source.let_go()

        with pytest.raises(WorkerBrokenError, match=part):
            await rig.ended()


async def test_an_engine_runs_once() -> None:
    source = ManualSource()
    async with working(source, at_once) as rig:
        await source.next_exchange()

        with pytest.raises(AlreadyStartedError, match="worker"):
            await rig.engine.run()


async def test_health_tells_of_progress() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=2) as rig:
        assert rig.engine.health().last_answer_ms_ago is None
        (await source.next_exchange()).answer("a")
        await rig.events.next(JobClaimed)

        health = rig.engine.health()

        assert (health.state, health.running, health.unsettled) == (State.RUNNING, 1, 0)
        assert health.last_answer_ms_ago is not None
        assert 0 <= health.last_answer_ms_ago < 10_000


async def test_a_store_that_answers_everything_but_exchanges_is_no_progress() -> None:
    source = ManualSource()
    async with working(source, at_once) as rig:
        (await source.next_exchange()).answer()
        (await source.next_wait()).fail(DOWN)
        reaps = source.reaps
        await pass_time(60)

        assert source.reaps > reaps
        assert "UnavailableError" in rig.engine.health().problem

        (await source.next_exchange()).answer()
        await quiet()
        assert rig.engine.health().problem == ""


async def test_an_error_without_words_is_told_in_some() -> None:
    source = ManualSource()
    async with working(source, at_once) as rig:
        (await source.next_exchange()).fail(TimeoutError())

        failed = await rig.events.next(ExchangeFailed)

        assert failed.problem == "TimeoutError: no answer in time"


async def test_failures_are_counted_from_the_last_success_on() -> None:
    source = ManualSource()
    async with working(source, at_once) as rig:
        for _ in range(3):
            (await source.next_exchange()).fail(DOWN)
        (await source.next_exchange()).answer("a")
        (await source.next_exchange()).fail(DOWN)

        counts = [(await rig.events.next(ExchangeFailed)).in_a_row for _ in range(4)]

        assert counts == [1, 2, 3, 1]
