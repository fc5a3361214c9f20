"""A handler whose lease is lost is told, and what it does afterwards changes nothing."""

import asyncio
from collections.abc import Sequence

from tests.support.virtual_time import for_ever, pass_ticks
from tests.unit.runtime.manual_source import ManualSource, claimed
from tests.unit.runtime.rig import Handlers, quiet, working

from toril.core.errors import UnavailableError
from toril.core.outcome import GiveBack
from toril.runtime import EngineOptions
from toril.runtime.lease_keeper import LeaseKeeper
from toril.runtime.source import Effect, Lease, Said
from toril.telemetry.events import JobClaimed, JobCompleted, JobSuperseded, LeaseLost

A, B = Lease("a", "token"), Lease("b", "token")


async def test_a_lost_lease_cancels_its_handler_and_drops_its_outcome() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=2) as rig:
        (await source.next_exchange()).answer("a", "b")
        await quiet()

        rig.engine._runs.lose([A])

        await rig.events.next(LeaseLost, job_id="a")
        await rig.events.next(JobSuperseded, job_id="a")
        assert handlers.cancelled == ["a"]
        assert (await source.next_exchange()).want == 1
        assert rig.engine.health().unsettled == 0


async def test_a_job_whose_lease_has_ended_before_it_could_begin_is_not_run() -> None:
    """As when the process is stopped between the answer to a claim and the start."""
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        rig.engine._runs._covers = lambda _lease: False
        (await source.next_exchange()).answer("a")
        call = await source.next_settlement()

        call.answer(effect=Effect.SUPERSEDED)

        await rig.events.next(JobSuperseded, job_id="a")
        [outcome] = call.outcomes
        assert isinstance(outcome.ending, Said)
        assert isinstance(outcome.ending.what, GiveBack)
        assert handlers.started == []


async def test_a_lost_lease_that_is_being_settled_is_left_to_the_store() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        (await source.next_exchange()).answer("a")
        handlers.finish("a")
        call = await source.next_exchange()

        rig.engine._runs.lose([A])
        call.answer(effect=Effect.SUPERSEDED)

        await rig.events.next(JobSuperseded, job_id="a")
        assert rig.saw(LeaseLost) == 0


async def test_a_handler_that_ignores_the_loss_keeps_its_slot_and_is_superseded() -> None:
    source, gate = ManualSource(), asyncio.Event()

    async def deaf(_job: str) -> str:
        while not gate.is_set():
            try:
                await gate.wait()
            except asyncio.CancelledError:
                continue
        return "too late"

    async with working(source, deaf) as rig:
        (await source.next_exchange()).answer("a")
        await quiet()
        rig.engine._runs.lose([A])
        await quiet()
        assert rig.engine.health().running == 1

        gate.set()

        await rig.events.next(JobSuperseded, job_id="a")
        assert rig.engine.health().unsettled == 0


async def test_a_job_claimed_again_while_it_runs_starts_when_the_old_run_has_ended() -> None:
    source, gate, running, most = ManualSource(), asyncio.Event(), 0, 0

    async def slow_to_leave(_job: str) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        try:
            await (pass_ticks() if gate.is_set() else for_ever())
        except asyncio.CancelledError:
            await gate.wait()
            raise
        finally:
            running -= 1
        return "done"

    async with working(source, slow_to_leave, concurrency=2) as rig:
        (await source.next_exchange()).answer("a")
        await rig.events.next(JobClaimed, job_id="a")
        await quiet()
        (await source.next_wait()).answer(claimed("a", token="another"))  # noqa: S106
        await rig.events.next(LeaseLost, job_id="a")
        assert rig.engine.health().running == 2

        gate.set()

        await rig.events.next(JobSuperseded, job_id="a")
        await rig.events.next(JobClaimed, job_id="a")
        [outcome] = (await source.next_settlement()).outcomes
        assert outcome.claimed.lease == Lease("a", "another")
        assert most == 1


async def test_a_job_waiting_for_its_old_run_can_be_lost_too() -> None:
    source, handlers = ManualSource(), Handlers()

    async def deaf(_job: str) -> None:
        try:
            await for_ever()
        except asyncio.CancelledError:
            await for_ever()

    async with working(source, deaf, concurrency=3) as rig:
        (await source.next_exchange()).answer("a")
        await quiet()
        (await source.next_wait()).answer(claimed("a", token="second"))  # noqa: S106
        (await source.next_wait()).answer(claimed("a", token="third"))  # noqa: S106
        await quiet()
        assert (rig.saw(LeaseLost), rig.engine.health().running) == (2, 2)

        rig.engine._runs.lose([Lease("a", "third")])

        assert (rig.saw(LeaseLost), rig.engine.health().running) == (3, 1)
        assert handlers.started == []


async def test_a_job_claimed_twice_in_one_answer_runs_once_on_the_newer_lease() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers, concurrency=2) as rig:
        first, second = claimed("a"), claimed("a", token="another")  # noqa: S106
        (await source.next_exchange()).answer(first, second)
        await rig.events.next(JobSuperseded, job_id="a")
        await pass_ticks()
        handlers.finish("a")

        [outcome] = (await source.next_settlement()).outcomes

        assert outcome.claimed is second
        assert handlers.started == ["a"]


async def test_a_lease_is_held_until_its_settlement_is_acknowledged() -> None:
    source, handlers = ManualSource(), Handlers()
    async with working(source, handlers) as rig:
        (await source.next_exchange()).answer("a")
        handlers.finish("a")
        call = await source.next_exchange()
        assert list(rig.engine._keeper._held) == [A]

        call.answer()
        await rig.events.next(JobCompleted, job_id="a")
        await pass_ticks()

        assert list(rig.engine._keeper._held) == []


async def test_a_job_retried_at_once_is_no_second_run() -> None:
    source = ManualSource()

    async def at_once(_job: str) -> None: ...

    async with working(source, at_once, concurrency=2) as rig:
        (await source.next_exchange()).answer("a")
        call = await source.next_exchange()
        call.answer(claimed("a", token="another"), effect=Effect.RETRIED)  # noqa: S106
        (await source.next_exchange()).answer()

        await rig.events.next(JobCompleted, job_id="a")
        assert rig.saw(LeaseLost) == 0


class Store:
    """Renews what it is told to, on a clock of its own."""

    def __init__(self) -> None:
        self.now = 0.0
        self.renewed: list[list[Lease]] = []
        self.gone: set[Lease] = set()
        self.error: Exception | None = None
        self.lost: list[Lease] = []
        self.failures = 0
        self.looks = 0
        self.keeper = LeaseKeeper(
            self,
            EngineOptions(),
            lost=self.lost.extend,
            failed=self._failed,
            ended=lambda _error: None,
            clock=lambda: self.now,
        )

    def renew_unread(self) -> None:
        self.looks += 1

    def renew(self, leases: Sequence[Lease]) -> Sequence[Lease]:
        if self.error is not None:
            raise self.error
        self.renewed.append(list(leases))
        return [lease for lease in leases if lease in self.gone]

    def _failed(self, _error: Exception) -> None:
        self.failures += 1


def test_leases_are_renewed_together_at_half_their_time() -> None:
    store = Store()
    store.keeper.change(dropped=(), held=[A, B])
    waits = []
    for store.now in (5, 10, 15, 20, 25, 30):
        waits.append(store.keeper.check())

    assert store.renewed == [[A, B], [A, B]]
    assert waits == [5.0] * 6


def test_what_was_claimed_unread_is_looked_after_at_every_check() -> None:
    store = Store()

    for store.now in (5, 10):
        assert store.keeper.check() == 5.0

    assert (store.looks, store.renewed) == (2, [])


def test_a_lease_that_was_settled_is_renewed_no_more() -> None:
    store = Store()
    store.keeper.change(dropped=(), held=[A, B])
    store.keeper.change(dropped=[A], held=())
    store.now = 15

    store.keeper.check()

    assert store.renewed == [[B]]


def test_a_lease_covers_a_start_until_it_may_have_ended() -> None:
    store = Store()
    store.keeper.change(dropped=(), held=[A])
    store.now = 29
    assert store.keeper.covers(A)

    store.now = 30

    assert not store.keeper.covers(A)
    assert not store.keeper.covers(B)


def test_a_lease_that_runs_since_long_covers_less() -> None:
    store = Store()
    store.now = 40
    store.keeper.change(dropped=(), held=[A], since=5.0)
    store.keeper.change(dropped=(), held=[B], since=15.0)

    assert not store.keeper.covers(A)
    assert store.keeper.covers(B)


def test_a_lost_lease_is_told_once() -> None:
    store = Store()
    store.keeper.change(dropped=(), held=[A, B])
    store.gone = {A}
    for store.now in (15, 30, 45):
        store.keeper.check()

    assert store.lost == [A]
    assert store.renewed == [[A, B], [B], [B]]


def test_a_lease_dropped_during_its_renewal_is_not_lost() -> None:
    store = Store()
    store.keeper.change(dropped=(), held=[A])
    store.gone = {A}

    def renew(leases: Sequence[Lease]) -> Sequence[Lease]:
        store.keeper.change(dropped=[A], held=())
        return leases

    store.renew = renew  # type: ignore[method-assign]
    store.now = 15
    store.keeper.check()

    assert store.lost == []


def test_an_error_is_tried_again_soon_and_loses_nothing() -> None:
    store = Store()
    store.keeper.change(dropped=(), held=[A])
    store.error = UnavailableError("server", "gone")
    store.now = 15
    assert store.keeper.check() == 2.5
    store.error, store.now = None, 17.5

    assert store.keeper.check() == 5.0
    assert (store.failures, store.lost, store.renewed) == (1, [], [[A]])


def test_a_lease_that_could_not_be_renewed_in_time_is_lost() -> None:
    store = Store()
    store.keeper.change(dropped=(), held=[A])
    store.error = UnavailableError("server", "gone")
    for store.now in (15, 20, 25, 29.9):
        store.keeper.check()
    assert store.lost == []

    store.now = 30
    store.keeper.check()

    assert store.lost == [A]
