"""An idle engine waits for work with its free slots, and asks no more than it has to."""

import asyncio

import pytest
from tests.support.virtual_time import pass_ticks, pass_time
from tests.unit.runtime.manual_source import Call, ManualSource
from tests.unit.runtime.rig import Handlers, quiet, working

from toril.core.errors import UnavailableError
from toril.runtime import EngineOptions
from toril.runtime.answers import Answers
from toril.runtime.doorbell import Doorbell
from toril.runtime.ledger import Ledger
from toril.runtime.source import Exchange
from toril.telemetry.events import ExchangeFailed, JobClaimed

DOWN = UnavailableError("server", "gone")


def unused_answers() -> Answers[str]:
    return object.__new__(Answers)


def now() -> float:
    return asyncio.get_running_loop().time()


async def test_the_free_slots_wait_at_the_doorbell_when_the_store_is_dry() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=5, doorbell_ms=4_000):
        (await source.next_exchange()).answer("a", "b")

        wait = await source.next_wait()

        assert (wait.want, wait.timeout_ms) == (3, 4_000)


async def test_a_wait_wants_no_more_than_a_batch() -> None:
    source = ManualSource()
    async with working(source, Handlers(), concurrency=40, batch=15):
        (await source.next_exchange()).answer()
        wait = await source.next_wait()
        wait.answer(*(f"job {number}" for number in range(15)))

        assert (wait.want, (await source.next_exchange()).want) == (15, 15)


async def test_exchanges_do_not_claim_for_slots_that_wait_at_the_doorbell() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=5):
        (await source.next_exchange()).answer("a", "b")
        wait = await source.next_wait()
        handlers.finish("a")

        call = await source.next_exchange()

        assert (call.settles, call.want) == (["a"], 1)
        assert not wait.reply.done()


async def test_the_doorbell_brings_the_jobs_itself() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=3) as rig:
        (await source.next_exchange()).answer()
        (await source.next_wait()).answer("a", "b")

        await rig.events.next(JobClaimed, job_id="b")
        again = await source.next_wait()

        assert again.want == 1
        assert source.exchanges.empty()


async def test_a_doorbell_that_filled_its_slots_is_followed_by_an_exchange_for_the_others() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=3):
        (await source.next_exchange()).answer("a", "b")
        wait = await source.next_wait()
        handlers.finish("a")
        (await source.next_exchange()).answer()
        await quiet()
        wait.answer("c")

        call = await source.next_exchange()

        assert (call.settles, call.want) == ([], 1)


async def test_an_idle_engine_asks_once_per_wait() -> None:
    source = ManualSource()
    async with working(source, Handlers(), doorbell_ms=5_000):
        (await source.next_exchange()).answer()
        began = now()
        for _ in range(12):
            await source.next_wait()

        assert now() - began == pytest.approx(55)
        assert source.exchanges.empty()


async def test_rings_that_bring_nothing_are_answered_less_and_less_often() -> None:
    source = ManualSource()
    async with working(source, Handlers()):
        (await source.next_exchange()).answer()
        began, rings = now(), 0
        while now() - began < 60:
            (await source.next_wait()).answer()
            rings += 1

        assert rings < 100
        assert source.exchanges.empty()


async def test_a_ring_with_a_job_makes_the_doorbell_quick_again() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers):
        (await source.next_exchange()).answer()
        for _ in range(15):
            (await source.next_wait()).answer()
        (await source.next_wait()).answer("a")
        handlers.finish("a")
        (await source.next_exchange()).answer()
        (await source.next_wait()).answer()
        began = now()
        await source.next_wait()

        assert now() - began < 0.01


async def test_a_due_job_is_promoted_though_the_doorbell_holds_every_slot() -> None:
    source = ManualSource()
    async with working(source, Handlers(), concurrency=2):
        (await source.next_exchange()).answer(next_in_ms=1_500)
        began = now()

        call = await source.next_exchange()

        assert (call.outcomes, call.want) == ([], 0)
        assert 1.5 <= now() - began < 1.51


async def test_a_due_job_is_claimed_for_a_slot_that_is_not_at_the_doorbell() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=3):
        (await source.next_exchange()).answer("a", "b")
        await source.next_wait()
        handlers.finish("a")
        (await source.next_exchange()).answer(next_in_ms=1_500)

        call = await source.next_exchange()

        assert (call.outcomes, call.want) == ([], 1)


async def test_the_newest_answer_sets_the_alarm() -> None:
    source = ManualSource()
    async with working(source, Handlers()):
        (await source.next_exchange()).answer(next_in_ms=300)
        (await source.next_wait()).answer(next_in_ms=2_000)
        began = now()

        await source.next_exchange()

        assert 2.0 <= now() - began < 2.01


async def test_a_store_that_is_due_for_ever_is_not_asked_for_ever() -> None:
    source = ManualSource()
    async with working(source, Handlers()):
        (await source.next_exchange()).answer(next_in_ms=0)
        began, calls = now(), 0
        while now() - began < 60:
            (await source.next_exchange()).answer(next_in_ms=0)
            calls += 1

        assert calls < 90


async def test_a_broken_doorbell_leaves_the_engine_polling() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        (await source.next_exchange()).answer()
        began, calls = now(), 0
        while now() - began < 60:
            (await source.next_wait()).fail(DOWN)
            (await source.next_exchange()).answer()
            calls += 1

        assert 30 <= calls <= 70
        assert rig.saw(ExchangeFailed) >= calls - 1
        (await source.next_wait()).fail(DOWN)
        (await source.next_exchange()).answer("a")
        await rig.events.next(JobClaimed, job_id="a")


async def test_jobs_do_not_pile_up_while_only_the_exchanges_fail() -> None:
    source = ManualSource()

    async def at_once(_job: str) -> None: ...

    async with working(source, at_once, concurrency=4) as rig:
        (await source.next_exchange()).answer()
        (await source.next_wait()).answer("a", "b", "c")
        for _ in range(5):
            (await source.next_exchange()).fail(DOWN)

        assert (await source.next_wait()).want == 1
        assert rig.engine.health().unsettled == 3


async def test_a_paused_engine_claims_nothing_and_finishes_what_it_has() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=2) as rig:
        (await source.next_exchange()).answer("a")
        wait = await source.next_wait()
        rig.engine.pause()
        call = await source.next_exchange()
        assert (call.outcomes, call.want, wait.reply.cancelled()) == ([], 0, True)
        call.answer("found again")
        give_back = await source.next_exchange()
        assert (give_back.settles, give_back.want) == (["found again"], 0)
        give_back.answer()
        handlers.finish("a")
        last = await source.next_exchange()
        assert (last.settles, last.want) == (["a"], 0)
        last.answer()
        await pass_time(60)
        assert rig.engine.health().is_paused
        assert source.exchanges.empty()
        assert source.waits.empty()

        rig.engine.resume()

        assert (await source.next_exchange()).want == 2


async def test_an_engine_that_is_paused_before_it_starts_claims_nothing() -> None:
    source = ManualSource()
    async with working(source, Handlers()) as rig:
        rig.engine.pause()
        await pass_time(60)
        assert source.exchanges.empty()
        assert source.waits.empty()

        rig.engine.resume()

        assert (await source.next_exchange()).want == 1


@pytest.mark.parametrize("ticks", range(8))
async def test_a_wait_given_up_in_any_tick_leaves_no_slot_behind(ticks: int) -> None:
    ledger: Ledger[str] = Ledger(EngineOptions(concurrency=3))
    ledger.landed(await ledger.next_batch(), 0)
    doorbell: Doorbell[str] = Doorbell(ManualSource(), ledger, unused_answers(), timeout_ms=5_000)
    running = asyncio.create_task(doorbell.run())
    await pass_ticks(ticks)

    doorbell.hush()
    running.cancel()
    await pass_ticks(5)

    assert ledger.is_quiet


async def test_a_wait_that_never_ends_is_given_up() -> None:
    class Deaf(ManualSource):
        async def wait_for_work(self, want: int, timeout_ms: int) -> Exchange[str]:
            self.waits.put_nowait(Call(want, timeout_ms=timeout_ms))
            return await asyncio.Future()

    source = Deaf()
    async with working(source, Handlers(), doorbell_ms=5_000) as rig:
        (await source.next_exchange()).answer()
        await source.next_wait()
        began = now()

        await rig.events.next(ExchangeFailed, timeout=60)

        assert now() - began == 10
        assert (await source.next_exchange()).want == 1
