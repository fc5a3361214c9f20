"""A source tells its engine of every job that was claimed for it, however it learnt of that."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

import pytest
from tests.unit.bullmq.fake_line import (
    DOWN,
    LOST,
    REFUSED,
    FakeLine,
    Step,
    claiming,
    recovering,
    well,
)

from toril.bullmq.naming import QueueName
from toril.bullmq.operations.claim.claim import Claim, Claims, Taken
from toril.bullmq.operations.claim.recover import Recover
from toril.bullmq.operations.finish.finish_jobs import Finished
from toril.bullmq.operations.finish.settlement import Verdict
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.worker import source as source_module
from toril.bullmq.worker.source import BullSource, SourceOptions
from toril.connection import Target
from toril.core.errors import (
    DeniedError,
    PermanentError,
    QueueNameAmbiguousError,
    ScriptError,
    UnavailableError,
    UndecodableError,
)
from toril.core.outcome import Delay, GiveBack
from toril.runtime.source import (
    Claimed,
    Effect,
    Exchange,
    Lease,
    Outcome,
    Returned,
    Said,
)
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import Event, GhostDropped

DENIED = DeniedError("here", "WRONGPASS")


class FakeRunner:
    """Answers every question alike."""

    def __init__(self, *answers: object) -> None:
        self.answers = answers
        self.asked: list[object] = []

    async def run_all(self, operations: Sequence[object]) -> list[object]:
        self.asked += operations
        return list(self.answers[: len(operations)])


class Rig:
    """A source on three fake lines: two for exchanges and the doorbell."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, *answers: object, hash_tag: bool | None = None
    ) -> None:
        self.lines: list[FakeLine] = []
        self.events: list[Event] = []
        self.runner = FakeRunner(*answers)
        monkeypatch.setattr(source_module, "AsyncLine", self._line)
        self.source = BullSource(
            QueueName.of("q", hash_tag=hash_tag, cluster=False),
            Target.of("redis://127.0.0.1:1"),
            self.runner,  # type: ignore[arg-type]
            SourceOptions(worker="me", worker_name="me"),
            Emitter(self.events.append),
        )

    def _line(self, *_: object, **__: object) -> FakeLine:
        self.lines.append(FakeLine())
        return self.lines[-1]

    @property
    def first(self) -> FakeLine:
        """The line of the next exchange."""
        return self.lines[1]

    @property
    def second(self) -> FakeLine:
        """The line of an exchange beside it."""
        return self.lines[0]

    @property
    def bell(self) -> FakeLine:
        return self.lines[2]


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> Rig:
    return Rig(monkeypatch)


def ids(exchange: Exchange[JobRecord]) -> list[str]:
    return [claimed.lease.job_id for claimed in exchange.claimed]


def claimed(job_id: str) -> Claimed[JobRecord]:
    return Claimed(Lease(job_id, "t"), JobRecord(id=job_id, name="n", data=None))


def done(*job_ids: str) -> list[Outcome[JobRecord]]:
    return [Outcome(claimed(job_id), Returned(1)) for job_id in job_ids]


def given_back(job_id: str) -> list[Outcome[JobRecord]]:
    return [Outcome(claimed(job_id), Said(GiveBack()))]


async def cancelled_wait(rig: Rig) -> None:
    """The wait at the doorbell, given up while it is under way."""
    rig.bell.then(None)
    rig.bell.asked.clear()
    waiting = asyncio.create_task(rig.source.wait_for_work(1, 5_000))
    await rig.bell.asked.wait()
    waiting.cancel()
    await asyncio.wait([waiting])


async def test_what_a_cancelled_wait_had_claimed_comes_with_the_next_exchange(rig: Rig) -> None:
    await cancelled_wait(rig)
    rig.bell.then(recovering("a"))
    rig.first.then(claiming("b"))

    answer = await rig.source.exchange([], 2)

    assert sorted(ids(answer)) == ["a", "b"]
    claim = rig.first.sent[-1][-1]
    assert isinstance(claim, Claim)
    assert claim.want == 1


async def test_it_comes_even_when_nothing_is_wanted(rig: Rig) -> None:
    """A lease that the engine does not know of is renewed by nobody."""
    await cancelled_wait(rig)
    rig.bell.then(recovering("a"))

    assert ids(await rig.source.exchange([], 0)) == ["a"]


@pytest.mark.parametrize("problem", [DOWN, lambda ops: [*well(ops[:-1]), REFUSED]])
async def test_it_is_kept_when_the_exchange_fails(rig: Rig, problem: Step) -> None:
    await cancelled_wait(rig)
    rig.bell.then(recovering("a"))
    rig.first.then(problem)

    found: list[str] = []
    try:
        found += ids(await rig.source.exchange([], 2))
    except UnavailableError:
        found += ids(await rig.source.exchange([], 2))

    assert found == ["a"]


async def test_it_is_kept_when_the_exchange_is_cancelled(rig: Rig) -> None:
    await cancelled_wait(rig)
    rig.bell.then(recovering("a"))
    rig.first.then(None)
    exchange = asyncio.create_task(rig.source.exchange([], 2))
    await rig.first.asked.wait()
    exchange.cancel()
    await asyncio.wait([exchange])
    rig.first.then(recovering("b"))

    assert sorted(ids(await rig.source.exchange([], 2))) == ["a", "b"]


async def test_it_goes_back_when_the_worker_ends(rig: Rig) -> None:
    await cancelled_wait(rig)
    rig.bell.then(recovering("a", "b"))

    assert await rig.source.give_back([Lease("c", "t")]) == 3


async def test_two_exchanges_at_once_ask_about_a_lost_request_once(rig: Rig) -> None:
    await cancelled_wait(rig)
    rig.bell.then(LOST, recovering("a"))

    first, second = await asyncio.gather(rig.source.exchange([], 1), rig.source.exchange([], 1))

    questions = [ops for ops in rig.bell.sent if isinstance(ops[0], Recover)]
    assert len(questions) == 2
    assert ids(first) + ids(second) == ["a"]


async def test_a_doorbell_that_rings_again_does_not_meet_the_question_about_its_past(
    rig: Rig,
) -> None:
    await cancelled_wait(rig)
    rig.bell.then(LOST, recovering("a"), lambda ops: [True, *claiming("b")(ops[1:])])  # type: ignore[operator, misc]

    exchange, rung = await asyncio.gather(
        rig.source.exchange([], 1), rig.source.wait_for_work(1, 100)
    )

    assert sorted(ids(exchange) + ids(rung)) == ["a", "b"]


async def test_outcomes_that_were_lost_are_sent_again_and_keep_their_places(rig: Rig) -> None:
    rig.first.then(LOST, recovering("n", unsettled=["b"]))

    answer = await rig.source.exchange(done("a", "b", "c"), 1)

    assert [settled.job_id for settled in answer.settled] == ["a", "b", "c"]
    assert {settled.effect for settled in answer.settled} == {Effect.COMPLETED}
    assert ids(answer) == ["n"]
    again = rig.first.sent[-1]
    assert [one.id for one in again[0].finishes] == ["b"]  # type: ignore[attr-defined]
    assert again[-1].want == 0  # type: ignore[attr-defined]


async def test_claims_are_kept_when_the_second_sending_fails(rig: Rig) -> None:
    rig.first.then(LOST, recovering("n", unsettled=["a"]), DOWN)

    with pytest.raises(UnavailableError):
        await rig.source.exchange(done("a"), 1)

    assert ids(await rig.source.exchange(done("a"), 0)) == ["n"]


async def test_claims_are_kept_when_a_return_is_refused(rig: Rig) -> None:
    refusal = ScriptError("finish/return_jobs", "WRONGTYPE")
    rig.first.then(lambda ops: [refusal, *claiming("n")(ops[1:])])  # type: ignore[operator, misc]

    with pytest.raises(ScriptError):
        await rig.source.exchange(given_back("a"), 1)

    assert ids(await rig.source.exchange([], 0)) == ["n"]


async def test_what_was_settled_counts_although_the_claim_was_refused(rig: Rig) -> None:
    rig.first.then(lambda ops: [*well(ops[:-1]), REFUSED])

    answer = await rig.source.exchange(given_back("a"), 1)

    assert [settled.effect for settled in answer.settled] == [Effect.GIVEN_BACK]


@pytest.mark.parametrize("verdict", [Verdict.MISSING, Verdict.LOCK_LOST, Verdict.NOT_ACTIVE])
async def test_an_outcome_that_was_not_stored_is_superseded(rig: Rig, verdict: Verdict) -> None:
    rig.first.then(lambda _: [Finished([verdict], Claims(5, None, (), ()))])

    [settled] = (await rig.source.exchange(done("a"), 1)).settled

    assert settled.effect is Effect.SUPERSEDED


async def test_ghosts_are_reported_once(rig: Rig) -> None:
    rig.first.then(lambda _: [Claims(5, None, ("gone",), ())])

    await rig.source.exchange([], 1)

    assert rig.events == [GhostDropped(queue="{q}", job_id="gone")]


@pytest.mark.parametrize(
    ("fields", "defect", "message"),
    [
        ({}, UndecodableError, "name cannot be read"),
        ({b"name": b"n", b"data": b"{"}, UndecodableError, "data cannot be read"),
        ({b"name": b"n", b"opts": b"[]"}, UndecodableError, "opts cannot be read"),
        ({b"name": b"n", b"defa": b"stalled too often"}, PermanentError, "stalled too often"),
    ],
)
async def test_a_job_that_must_not_run_says_why(
    rig: Rig, fields: dict[bytes, bytes], defect: type[Exception], message: str
) -> None:
    rig.first.then(lambda _: [Claims(5, None, (), [Taken("a", "t", fields)])])

    [claimed] = (await rig.source.exchange([], 1)).claimed

    assert isinstance(claimed.defect, defect)
    assert message in str(claimed.defect)


async def test_one_job_twice_among_the_leases_loses_only_the_old_one(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new = Lease("a", "old"), Lease("a", "new")
    monkeypatch.setattr(rig.source._renewals, "run_all", lambda _: [frozenset({0})])

    assert list(rig.source.renew([old, new])) == [old]


@pytest.mark.parametrize("hash_tag", [None, False])
@pytest.mark.parametrize("error", [DOWN, DENIED])
async def test_a_worker_that_is_not_let_in_does_not_start(
    monkeypatch: pytest.MonkeyPatch, hash_tag: bool | None, error: Exception
) -> None:
    rig = Rig(monkeypatch, error, error, hash_tag=hash_tag)

    with pytest.raises(type(error)):
        await rig.source.open()


async def test_a_sibling_that_cannot_be_looked_for_is_passed_over(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    await Rig(monkeypatch, False, DENIED).source.open()


async def test_a_worker_of_the_wrong_spelling_does_not_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(QueueNameAmbiguousError):
        await Rig(monkeypatch, False, True).source.open()


async def test_a_point_in_time_is_read_by_the_clock_of_the_server(rig: Rig) -> None:
    rig.first.then(lambda _: [Claims(5, None, (), ())])
    await rig.source.exchange([], 1)
    [outcome] = done("a")
    a_minute_after_1970 = datetime(1970, 1, 1, 0, 1, tzinfo=UTC)

    await rig.source.exchange([Outcome(outcome.claimed, Said(Delay(until=a_minute_after_1970)))], 0)

    [put_off] = rig.first.sent[-1][0].returns  # type: ignore[attr-defined]
    assert 50_000 < put_off.delay_ms < 60_000
