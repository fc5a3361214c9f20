"""One exchange settles what finished and claims for what is free; the rest gathers meanwhile."""

import pytest
from tests.unit.runtime.manual_source import ManualSource, claimed
from tests.unit.runtime.rig import Handlers, quiet, working

from toril.core.outcome import GiveBack
from toril.runtime.source import Raised, Returned, Said
from toril.telemetry.events import JobClaimed, JobCompleted, JobGivenBack, WorkerStarted


async def at_once(job: str) -> str:
    return job.upper()


def names(first: int, last: int) -> list[str]:
    return [f"job {number}" for number in range(first, last)]


async def test_the_first_exchange_claims_for_every_slot() -> None:
    source = ManualSource()
    async with working(source, at_once, concurrency=7) as rig:
        call = await source.next_exchange()

        assert (call.want, call.outcomes) == (7, [])
        await rig.events.next(WorkerStarted, concurrency=7)


async def test_an_exchange_is_bounded() -> None:
    source = ManualSource()
    async with working(source, at_once, concurrency=40, batch=15):
        first = await source.next_exchange()
        first.answer(*names(0, 15))
        second = await source.next_exchange()
        await quiet()
        second.answer(*names(15, 30))
        third = await source.next_exchange()

        assert (first.want, second.want, third.want) == (15, 15, 15)
        assert len(third.outcomes) == 15


async def test_a_finished_job_is_settled_and_its_slot_filled_in_one_exchange() -> None:
    source = ManualSource()
    async with working(source, at_once) as rig:
        (await source.next_exchange()).answer("a")
        call = await source.next_exchange()

        [outcome] = call.outcomes
        assert (call.want, outcome.claimed, outcome.ending) == (1, claimed("a"), Returned("A"))
        call.answer("b")
        completed = await rig.events.next(JobCompleted)
        assert (completed.job_id, completed.queue, completed.worker) == ("a", "queue", "worker")
        await rig.events.next(JobClaimed, job_id="b")


async def test_jobs_that_finish_during_an_exchange_travel_together_in_the_next() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=4):
        (await source.next_exchange()).answer("a", "b", "c", "d")
        await quiet()
        handlers.finish("a")
        first = await source.next_exchange()

        handlers.finish("c", "b")
        await quiet()
        first.answer()
        second = await source.next_exchange()

        assert first.settles == ["a"]
        assert second.settles == ["c", "b"]


@pytest.mark.parametrize("concurrency", [1, 5, 9])
async def test_one_exchange_is_in_flight_below_ten_slots(concurrency: int) -> None:
    source = ManualSource()
    async with working(source, at_once, concurrency=concurrency):
        for round_ in range(5):
            call = await source.next_exchange()
            await quiet()
            call.answer(*names(round_ * concurrency, (round_ + 1) * concurrency))

    assert source.most_in_flight == 1


@pytest.mark.parametrize("concurrency", [10, 50])
async def test_from_ten_slots_two_exchanges_share_them(concurrency: int) -> None:
    source = ManualSource()
    async with working(source, at_once, concurrency=concurrency):
        first, second = await source.next_exchange(), await source.next_exchange()

        assert (first.want, second.want) == (concurrency // 2, concurrency // 2)
        assert first.tick != second.tick


async def test_two_exchanges_stay_out_of_step_though_answered_in_one_tick() -> None:
    source = ManualSource()
    async with working(source, at_once, concurrency=100):
        first, second = await source.next_exchange(), await source.next_exchange()
        for round_ in range(5):
            first.answer(*names(100 * round_, 100 * round_ + 50))
            second.answer(*names(100 * round_ + 50, 100 * round_ + 100))
            first, second = await source.next_exchange(), await source.next_exchange()

            assert first.tick != second.tick
            assert (len(first.outcomes), len(second.outcomes)) == (50, 50)

    assert source.most_in_flight == 2


async def test_a_small_batch_waits_for_the_exchange_in_flight() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=60):
        (await source.next_exchange()).answer(*names(0, 30))
        (await source.next_exchange()).answer(*names(30, 60))
        await quiet()
        handlers.finish("job 0")
        first = await source.next_exchange()

        handlers.finish(*names(1, 25))
        await quiet()
        assert source.exchanges.empty()
        handlers.finish("job 25")
        second = await source.next_exchange()

        assert (first.settles, second.settles) == (["job 0"], names(1, 26))
        assert not first.reply.done()


async def test_a_job_with_a_defect_goes_straight_back_as_failed() -> None:
    source, handlers = ManualSource(), Handlers()
    defect = ValueError("data is not JSON")
    async with working(source, handlers) as rig:
        (await source.next_exchange()).answer(claimed("bad", defect=defect))
        call = await source.next_exchange()

        assert [outcome.ending for outcome in call.outcomes] == [Raised(defect, final=True)]
        assert call.want == 1
        assert (handlers.started, rig.saw(JobClaimed)) == ([], 0)


async def test_claims_without_a_slot_are_given_back() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=2) as rig:
        (await source.next_exchange()).answer("a", "b", "found again")
        call = await source.next_exchange()

        assert call.settles == ["found again"]
        assert isinstance(call.outcomes[0].ending, Said)
        assert isinstance(call.outcomes[0].ending.what, GiveBack)
        assert rig.engine.health().running == 2
        assert rig.saw(JobGivenBack) == 0


async def test_results_are_settled_in_the_order_in_which_they_came() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=5):
        (await source.next_exchange()).answer(*names(0, 5))
        await quiet()
        handlers.finish("job 3", "job 1", "job 4")

        call = await source.next_exchange()

        assert call.settles == ["job 3", "job 1", "job 4"]
