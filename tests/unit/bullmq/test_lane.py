"""A lane knows what its requests did, whatever becomes of the replies."""

import asyncio
from collections.abc import Sequence

import pytest
from tests.unit.bullmq.fake_line import (
    DOWN,
    LOST,
    REFUSED,
    FakeLine,
    claiming,
    recovering,
    well,
)

from toril.bullmq.operations.claim.claim import Claim, Claims, ClaimTerms, Taken
from toril.bullmq.operations.claim.recover import Recover
from toril.bullmq.operations.claim.wait_marker import WaitMarker
from toril.bullmq.operations.finish.await_children import AwaitChildren
from toril.bullmq.operations.finish.finish_jobs import CLAIMS_NOTHING, Finished, FinishJobs
from toril.bullmq.operations.finish.finish_linked import FinishLinked
from toril.bullmq.operations.finish.return_jobs import ReturnJobs
from toril.bullmq.operations.finish.settlement import Finish, Return, Settlement, Verdict, Wait
from toril.bullmq.operations.sender import Fenced, Sender
from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.worker import lane as lane_module
from toril.bullmq.worker.lane import Lane
from toril.core.errors import ScriptError, UnavailableError, UnexpectedReplyError

SENDER = Sender(QueueKeys("bull", "{q}"), "me")
MIB = 2**20


def lane_on(line: FakeLine) -> Lane:
    return Lane(line, SENDER, ClaimTerms(max_bytes=MIB, lock_ms=30_000))  # type: ignore[arg-type]


def finish(job_id: str, text: str = "1") -> Finish:
    return Finish(id=job_id, token=f"t{job_id}", kind="completed", text=text)


def retry(job_id: str) -> Return:
    return Return(id=job_id, token=f"t{job_id}", kind="retry")


def ids(taken: Sequence[Taken]) -> list[str]:
    return [one.id for one in taken]


def kinds(request: Sequence[object]) -> list[type]:
    return [type(operation) for operation in request]


async def cancelled(line: FakeLine, lane: Lane, settlements: Sequence[Settlement] = ()) -> None:
    """An exchange that is cancelled when it is on its way."""
    line.then(None)
    line.asked.clear()
    exchange = asyncio.create_task(lane.exchange(settlements, 2))
    await line.asked.wait()
    exchange.cancel()
    with pytest.raises(asyncio.CancelledError):
        await exchange


async def test_an_exchange_is_one_request_that_settles_and_then_claims() -> None:
    line = FakeLine(claiming("a", "b"))

    answer = await lane_on(line).exchange([finish("1"), retry("2"), finish("3")], 2)

    [request] = line.sent
    assert kinds(request) == [ReturnJobs, FinishJobs]
    assert answer.verdicts == [Verdict.STORED] * 3
    assert ids(answer.taken) == ["a", "b"]


async def test_verdicts_stand_in_the_places_of_their_outcomes() -> None:
    line = FakeLine(
        lambda _: [
            [Verdict.LOCK_LOST],
            Finished([Verdict.STORED, Verdict.MISSING], Claims(5, None, (), ())),
        ]
    )

    answer = await lane_on(line).exchange([finish("1"), retry("2"), finish("3")], 2)

    assert answer.verdicts == [Verdict.STORED, Verdict.LOCK_LOST, Verdict.MISSING]


async def test_requests_of_one_exchange_are_numbered_in_the_order_they_are_sent() -> None:
    line = FakeLine()
    lane = lane_on(line)

    await lane.exchange([finish("1"), retry("2")], 0)
    await lane.exchange([], 1)

    numbers = [operation.sequence for request in line.sent for operation in request]  # type: ignore[attr-defined]
    assert numbers == [1, 2, 3]


async def test_linked_jobs_end_before_the_others() -> None:
    line = FakeLine(claiming("a"))
    owner = Finish(id="2", token="t2", kind="completed", text="1", is_linked=True)  # noqa: S106

    answer = await lane_on(line).exchange([finish("1"), owner, retry("3")], 2)

    assert kinds(line.sent[0]) == [ReturnJobs, FinishLinked, FinishJobs]
    assert answer.verdicts == [Verdict.STORED] * 3
    assert ids(answer.taken) == ["a"]


async def test_what_waits_for_its_children_is_put_aside_before_anything_ends() -> None:
    line = FakeLine(claiming("a"))
    wait = Wait(id="2", token="t2")  # noqa: S106

    answer = await lane_on(line).exchange([finish("1"), wait, retry("3")], 2)

    assert kinds(line.sent[0]) == [ReturnJobs, AwaitChildren, FinishJobs]
    assert answer.verdicts == [Verdict.STORED] * 3


async def test_who_has_only_linked_jobs_to_settle_claims_apart() -> None:
    line = FakeLine(claiming("a"))
    owner = Finish(id="2", token="t2", kind="completed", text="1", is_linked=True)  # noqa: S106

    answer = await lane_on(line).exchange([owner], 2)

    assert kinds(line.sent[0]) == [FinishLinked, Claim]
    assert ids(answer.taken) == ["a"]


async def test_who_has_only_returns_to_settle_claims_apart() -> None:
    line = FakeLine(claiming("a"))

    answer = await lane_on(line).exchange([retry("1")], 2)

    assert kinds(line.sent[0]) == [ReturnJobs, Claim]
    assert answer.verdicts == [Verdict.STORED]
    assert ids(answer.taken) == ["a"]


async def test_large_results_go_in_several_requests_of_one_round_trip() -> None:
    line = FakeLine()
    large = [finish(str(number), "x" * MIB) for number in range(9)]

    answer = await lane_on(line).exchange(large, 3)

    [request] = line.sent
    sizes = [len(one.finishes) for one in request if isinstance(one, FinishJobs)]
    assert sizes == [4, 4, 1]
    assert [one.want for one in request] == [CLAIMS_NOTHING, CLAIMS_NOTHING, 3]  # type: ignore[attr-defined]
    assert answer.verdicts == [Verdict.STORED] * 9


async def test_traces_count_like_results() -> None:
    line = FakeLine()
    fields = ("stacktrace", "x" * 3 * MIB)
    failures = [
        Finish(id=job_id, token="t", kind="failed", text="no", fields=fields)  # noqa: S106
        for job_id in "ab"
    ]

    await lane_on(line).exchange(failures, 0)

    assert kinds(line.sent[0]) == [FinishJobs, FinishJobs]


async def test_a_single_result_may_be_larger_than_the_limit() -> None:
    line = FakeLine()

    await lane_on(line).exchange([finish("1", "x" * 9 * MIB), finish("2")], 0)

    assert kinds(line.sent[0]) == [FinishJobs, FinishJobs]


async def test_a_lost_reply_is_asked_about_before_anything_else_is_sent() -> None:
    line = FakeLine(LOST, recovering("a", unsettled=["2"]))

    answer = await lane_on(line).exchange([finish("1"), finish("2")], 2)

    question = line.sent[1][0]
    assert isinstance(question, Recover)
    assert question.sequence == 1
    assert question.leases == [("1", "t1"), ("2", "t2")]
    assert answer.verdicts == [Verdict.STORED, None]
    assert [(one.id, one.token) for one in answer.taken] == [("a", "me:1")]


async def test_it_asks_until_there_is_an_answer() -> None:
    line = FakeLine(LOST, DOWN, LOST, DOWN, recovering("a"))

    answer = await lane_on(line).exchange([], 1)

    assert len(line.sent) == 5
    assert {question.sequence for [question] in line.sent[1:]} == {1}  # type: ignore[attr-defined]
    assert ids(answer.taken) == ["a"]


async def test_a_server_that_will_not_answer_is_not_asked_in_a_hurry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rests: list[float] = []

    async def rest(seconds: float) -> None:
        rests.append(seconds)

    monkeypatch.setattr(lane_module.asyncio, "sleep", rest)
    line = FakeLine(LOST, lambda _: [REFUSED], lambda _: [REFUSED], recovering("a"))

    answer = await lane_on(line).exchange([], 1)

    assert ids(answer.taken) == ["a"]
    assert len(rests) == 2
    assert min(rests) >= 0.05


async def test_nothing_was_done_when_nobody_was_there() -> None:
    line = FakeLine(DOWN, claiming("a"))
    lane = lane_on(line)

    with pytest.raises(UnavailableError):
        await lane.exchange([finish("1")], 1)

    assert ids((await lane.exchange([finish("1")], 1)).taken) == ["a"]
    assert not any(isinstance(operation, Recover) for [operation, *_] in line.sent)


async def test_a_cancelled_exchange_is_asked_about_by_the_next() -> None:
    line = FakeLine()
    lane = lane_on(line)
    await cancelled(line, lane, [finish("1")])
    line.then(recovering("a"), claiming("b"))

    answer = await lane.exchange([], 2)

    assert kinds(line.sent[1]) == [Recover]
    assert line.sent[1][0].leases == [("1", "t1")]  # type: ignore[attr-defined]
    assert ids(answer.taken) == ["a", "b"]


async def test_what_was_found_is_kept_when_the_next_request_fails() -> None:
    """A claim that is forgotten holds its job until the lease ends, and counts as a stall."""
    line = FakeLine()
    lane = lane_on(line)
    await cancelled(line, lane)
    line.then(recovering("a"), DOWN, claiming("b"))

    with pytest.raises(UnavailableError):
        await lane.exchange([], 2)

    assert ids((await lane.exchange([], 2)).taken) == ["a", "b"]


async def test_what_was_found_is_kept_when_the_next_request_is_cancelled_too() -> None:
    line = FakeLine()
    lane = lane_on(line)
    await cancelled(line, lane)
    line.then(recovering("a"))
    await cancelled(line, lane)
    line.then(recovering("b"))

    answer = await lane.recover()

    assert ids(answer.taken) == ["a", "b"]


async def test_a_question_that_is_cancelled_is_asked_again() -> None:
    line = FakeLine()
    lane = lane_on(line)
    await cancelled(line, lane)
    line.then(None)
    line.asked.clear()
    question = asyncio.create_task(lane.recover())
    await line.asked.wait()
    question.cancel()
    with pytest.raises(asyncio.CancelledError):
        await question
    line.then(recovering("a"))

    assert ids((await lane.recover()).taken) == ["a"]


async def test_a_question_and_an_exchange_do_not_meet_on_the_line() -> None:
    line = FakeLine()
    lane = lane_on(line)
    await cancelled(line, lane)
    line.then(LOST, recovering("a"), claiming("b"))

    found, answer = await asyncio.gather(lane.recover(), lane.exchange([], 1))

    assert ids(found.taken) == ["a"]
    assert ids(answer.taken) == ["b"]


async def test_who_only_wants_to_know_does_not_wait_for_a_lane_in_use() -> None:
    line = FakeLine(None)
    lane = lane_on(line)
    waiting = asyncio.create_task(lane.wait(1, 5_000))
    await line.asked.wait()

    async with asyncio.timeout(1):
        assert ids((await lane.recover()).taken) == []

    waiting.cancel()
    await asyncio.wait([waiting])


async def test_a_refused_return_does_not_hide_what_ended_and_what_was_claimed() -> None:
    refusal = ScriptError("finish/return_jobs", "WRONGTYPE")
    line = FakeLine(lambda ops: [refusal, *claiming("a")(ops[1:])])  # type: ignore[operator, misc]

    answer = await lane_on(line).exchange([finish("1"), retry("2")], 1)

    assert answer.verdicts == [Verdict.STORED, None]
    assert ids(answer.taken) == ["a"]
    assert answer.error is refusal


async def test_a_refused_claim_does_not_hide_what_was_settled() -> None:
    line = FakeLine(lambda ops: [*well(ops[:-1]), REFUSED])

    answer = await lane_on(line).exchange([retry("1"), retry("2")], 1)

    assert answer.verdicts == [Verdict.STORED] * 2
    assert answer.error is REFUSED


async def test_a_request_that_was_given_up_and_answered_is_a_fault() -> None:
    line = FakeLine(lambda _: [Fenced()])

    with pytest.raises(UnexpectedReplyError):
        await lane_on(line).exchange([], 1)


async def test_a_wait_wakes_up_and_claims_in_one_request() -> None:
    line = FakeLine(lambda ops: [True, *claiming("a")(ops[1:])])  # type: ignore[operator, misc]

    answer = await lane_on(line).wait(1, 1_500)

    [[marker, claim]] = line.sent
    assert isinstance(marker, WaitMarker)
    assert marker.block_ms == 1_500
    assert isinstance(claim, Claim)
    assert ids(answer.taken) == ["a"]


async def test_a_wait_whose_reply_was_lost_is_asked_about() -> None:
    line = FakeLine(LOST, recovering("a"))

    assert ids((await lane_on(line).wait(1, 1_500)).taken) == ["a"]


async def test_a_wait_does_not_begin_when_a_lost_one_had_claimed() -> None:
    line = FakeLine()
    lane = lane_on(line)
    await cancelled(line, lane)
    line.then(recovering("a"))

    assert ids((await lane.wait(1, 1_500)).taken) == ["a"]
    assert kinds(line.sent[-1]) == [Recover]


async def test_closing_and_aborting_reach_the_line() -> None:
    line = FakeLine()
    lane = lane_on(line)

    lane.abort()
    await lane.close()

    assert line.was_aborted
    assert line.is_closed
