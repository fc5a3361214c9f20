"""Operations without a server: what they send, and how they read every answer."""

import pytest
from tests.support.operation_samples import KEYS, SAMPLES, SENDER, TERMS

from toril.bullmq.operations.add.add_jobs import Added, AddJobs, NewJob, Once
from toril.bullmq.operations.claim.claim import Claim, Claims, Taken
from toril.bullmq.operations.claim.recover import Recover, Recovered
from toril.bullmq.operations.claim.wait_marker import WaitMarker
from toril.bullmq.operations.finish.finish_jobs import Finished, FinishJobs
from toril.bullmq.operations.finish.finish_linked import FinishLinked
from toril.bullmq.operations.finish.return_jobs import ReturnJobs
from toril.bullmq.operations.finish.settlement import Finish, Return, Verdict
from toril.bullmq.operations.inspect.counts import CountJobs, Counts
from toril.bullmq.operations.inspect.deduplication_owner import GetDeduplicationOwner
from toril.bullmq.operations.inspect.finish_state import (
    Completed,
    Failed,
    GetFinishState,
    Unfinished,
)
from toril.bullmq.operations.inspect.get_job import GetJob
from toril.bullmq.operations.inspect.queue_exists import QueueExists
from toril.bullmq.operations.inspect.read_events import ReadEvents, StoredEvent
from toril.bullmq.operations.maintain.add_log import AddLog
from toril.bullmq.operations.maintain.open_queue import OpenQueue
from toril.bullmq.operations.maintain.read_cancellations import ReadCancellations
from toril.bullmq.operations.maintain.reap_stalled import ReapStalled, StalledJobs
from toril.bullmq.operations.maintain.remove_deduplication import RemoveDeduplication
from toril.bullmq.operations.maintain.renew import Renew
from toril.bullmq.operations.maintain.renew_unread import RenewUnread
from toril.bullmq.operations.maintain.set_progress import SetProgress
from toril.bullmq.operations.move.cancel_job import CancelJob, Cancellation
from toril.bullmq.operations.move.refusal import Refused
from toril.bullmq.operations.move.remove_job import Locked, Scheduled
from toril.bullmq.operations.sender import Fenced
from toril.bullmq.wire.options import DeduplicationRule
from toril.core.errors import UndecodableError, UnexpectedReplyError
from toril.core.operation import BlockingRead, Operation

ADD = AddJobs(
    keys=KEYS,
    producer="p",
    sequence=1,
    jobs=[NewJob(id="", name="n", data="1", opts="{}")] * 2,
)
STARTED = {b"name": b"n", b"ats": b"1", b"processedOn": b"9"}
CLAIM = Claim(sender=SENDER, sequence=3, want=2, terms=TERMS)
FINISH = FinishJobs(
    sender=SENDER,
    sequence=1,
    finishes=[Finish(id="1", token="t", kind="completed", text="1")] * 4,  # noqa: S106
    want=2,
    terms=TERMS,
)
OWNERS = FinishLinked(sender=SENDER, sequence=1, finishes=FINISH.finishes[:1], want=2, terms=TERMS)
RETURN = ReturnJobs(
    sender=SENDER,
    sequence=1,
    returns=[Return(id="1", token="t", kind="retry")],  # noqa: S106
)
RECOVER = Recover(sender=SENDER, sequence=3, leases=[("1", "t")])
REAP = ReapStalled(keys=KEYS, max_stalled=1, interval_ms=9)
OWNER = GetDeduplicationOwner(keys=KEYS, deduplication_id="d")
FREE = RemoveDeduplication(keys=KEYS, deduplication_id="d")
STATE = GetFinishState(keys=KEYS, job_id="1")
CANCEL = CancelJob(keys=KEYS, job_id="7")
NOTES = ReadCancellations(keys=KEYS, worker="w")
WAIT = WaitMarker(keys=KEYS, block_ms=1_500)
EVENTS = ReadEvents(keys=KEYS, after_id="0-0", block_ms=0)


def test_a_key_that_an_add_may_write_is_declared() -> None:
    jobs = [
        NewJob(id="", name="n", data="1", opts="{}"),
        NewJob(id="", name="n", data="1", opts="{}", once=Once("order:7", 9)),
        NewJob(id="", name="n", data="1", opts="{}", deduplication=DeduplicationRule("a:b")),
    ]

    call = AddJobs(keys=KEYS, producer="p", sequence=1, jobs=jobs).call()

    assert set(call.all_keys) - set(ADD.call().all_keys) == {
        KEYS.own("once:order:7"),
        f"{KEYS.base}de:a:b",
        f"{KEYS.base}dn:a:b",
    }


every_sample = pytest.mark.parametrize(
    "operation", [pytest.param(operation, id=name) for name, operation in SAMPLES]
)


@every_sample
def test_the_names_match_the_signature_of_the_script(operation: Operation[object]) -> None:
    call = operation.call()

    assert len(call.all_keys) == len(call.keys) + len(call.touches)
    assert len(call.arguments) == len(call.script.signature["ARGV"])
    assert all(isinstance(argument, str | bytes | int | float) for argument in call.arguments)


@every_sample
@pytest.mark.parametrize(
    "reply", [None, b"OK", 7, [], [99], [b"1"], [1, None], [0, None], [1, [None]], {"1": 1}]
)
def test_an_unknown_reply_is_an_error_not_a_guess(
    operation: Operation[object], reply: object
) -> None:
    with pytest.raises(UnexpectedReplyError, match=operation.call().script.name):
        operation.decode(reply)


@pytest.mark.parametrize(
    ("operation", "reply", "outcome"),
    [
        (ADD, [1, [5, [b"1", b"own"], [2]]], [Added("1", 5, True), Added("own", 5, False)]),
        (
            CLAIM,
            [1, 9, [-1, [], [b"a", [b"name", b"n", b"ats", b"2"], b"b", [b"ats", b"many"]]]],
            Claims(
                9,
                None,
                [],
                [
                    Taken("a", "sampler:x0:3", {b"name": b"n", b"ats": b"3", b"processedOn": b"9"}),
                    Taken("b", "sampler:x0:3", {b"ats": b"1", b"processedOn": b"9"}),
                ],
            ),
        ),
        (CLAIM, [1, 9, [0, [b"gone"], []]], Claims(9, 0, ["gone"], [])),
        (CLAIM, [0], Fenced()),
        (
            FINISH,
            [1, [1, 2, 3, 4], 9, [7, [], [b"a", [b"name", b"n"]]]],
            Finished(
                [Verdict.STORED, Verdict.MISSING, Verdict.LOCK_LOST, Verdict.NOT_ACTIVE],
                Claims(9, 7, [], [Taken("a", "sampler:x0:1", STARTED)]),
            ),
        ),
        (FINISH, [0], Fenced()),
        (OWNERS, [1, [1]], [Verdict.STORED]),
        (OWNERS, [0], Fenced()),
        (OWNER, [1, b"7"], "7"),
        (OWNER, [0], None),
        (FREE, [1, 1], True),
        (FREE, [1, 0], False),
        (RETURN, [1, [1]], [Verdict.STORED]),
        (RETURN, [0], Fenced()),
        (
            RECOVER,
            [1, [b"a", []], [b"1"]],
            Recovered([Taken("a", "sampler:x0:3", {})], frozenset({"1"})),
        ),
        (REAP, [1, 30, [b"a"], [b"a"], [b"g"]], StalledJobs(30, ["a"], ["a"], ["g"])),
        (CountJobs(keys=KEYS), [1, 1, 2, 3, 4, 5, 6, 7, 8], Counts(1, 2, 3, 4, 5, 6, 7, 8)),
        (STATE, [0, b"0-0"], Unfinished(exists=False, last_event_id="0-0")),
        (STATE, [1, b"7-0"], Unfinished(exists=True, last_event_id="7-0")),
        (STATE, [2, b"7-0", b"null"], Completed(b"null")),
        (STATE, [3, b"7-0", b"\xff no"], Failed("� no")),
        (GetJob(keys=KEYS, job_id="1"), [0], None),
        (QueueExists(keys=KEYS), [1, 1], True),
        (QueueExists(keys=KEYS), [1, 0], False),
        (OpenQueue(keys=KEYS, version="v"), [1], None),
        (SetProgress(keys=KEYS, job_id="1", progress=b"1"), [1], True),
        (SetProgress(keys=KEYS, job_id="1", progress=b"1"), [0], False),
        (AddLog(keys=KEYS, job_id="1", row="r", keep=1), [1, 4], 4),
        (AddLog(keys=KEYS, job_id="1", row="r", keep=1), [0], None),
        (Renew(keys=KEYS, leases=[("1", "t")], lock_ms=9), [1, [1]], frozenset({0})),
        (Renew(keys=KEYS, leases=[("1", "t")], lock_ms=9), [1, []], frozenset()),
        (RenewUnread(keys=KEYS, tokens=["t"], lock_ms=9), [1, 2], 2),
        (CANCEL, [1], Cancellation.TOLD),
        (CANCEL, [3], Cancellation.UNTOLD),
        (CANCEL, [4, [1, 3]], Cancellation.REMOVED),
        (CANCEL, [4, [2, b"bull:{samples}:7"]], Locked("bull:{samples}:7")),
        (CANCEL, [4, [3, b"nightly"]], Scheduled("nightly")),
        (CANCEL, [2, b"failed"], Refused("failed")),
        (CANCEL, [0], Refused(None)),
        (NOTES, [1, []], []),
        (NOTES, [1, [b"7", b"w:x0:1"]], [("7", "w:x0:1")]),
        (WAIT, None, False),
        (WAIT, [b"marker", b"0", b"0"], True),
        (WAIT, [b"marker", b"0", 0.0], True),
        (EVENTS, None, ()),
        (
            EVENTS,
            [[b"events", [[b"1-0", [b"event", b"added"]]]]],
            [StoredEvent("1-0", {b"event": b"added"})],
        ),
    ],
)
def test_a_known_reply_becomes_a_value(
    operation: Operation[object] | BlockingRead[object], reply: object, outcome: object
) -> None:
    assert operation.decode(reply) == outcome


@pytest.mark.parametrize(
    ("operation", "reply"),
    [
        pytest.param(ADD, [1, [5, [b"1"], []]], id="an answer for one of two jobs"),
        pytest.param(ADD, [0], id="a later request was seen before"),
        pytest.param(ADD, [1, [5, [b"1", 2], []]], id="an id that is a number"),
        pytest.param(CLAIM, [1, 9, [-1, [], [b"a"]]], id="an id without a hash"),
        pytest.param(CLAIM, [1, 9, [-1, [], [b"a", [b"name"]]]], id="a field without a value"),
        pytest.param(CLAIM, [1, 9, [-1, [1], []]], id="a ghost that is a number"),
        pytest.param(CLAIM, [1, 9, [-1, []]], id="a claim without jobs"),
        pytest.param(FINISH, [1, [1], 9, [-1, [], []]], id="one verdict on four outcomes"),
        pytest.param(FINISH, [1, [1, 1, 1, 9], 9, [-1, [], []]], id="an unknown verdict"),
        pytest.param(FINISH, [1, [1, 1, 1, 1], 9, []], id="verdicts without a claim"),
        pytest.param(RETURN, [1, [b"1"]], id="a verdict that is text"),
        pytest.param(RECOVER, [1, [b"a"], []], id="a claim without a hash"),
        pytest.param(CountJobs(keys=KEYS), [1, 1, 2], id="some of the states"),
        pytest.param(STATE, [2, b"7-0", None], id="a result that is missing"),
        pytest.param(WAIT, [b"marker"], id="a marker without a member"),
        pytest.param(EVENTS, [[b"events", [[b"1-0", [b"event"]]]]], id="an event of one word"),
        pytest.param(EVENTS, [[b"events", [[b"1-0", None]]]], id="an event that was trimmed"),
        pytest.param(EVENTS, [[b"events", [[b"1-0", [b"a", 1]]]]], id="an event with a number"),
        pytest.param(EVENTS, {}, id="another protocol"),
    ],
)
def test_a_reply_that_is_almost_right_is_refused(
    operation: Operation[object] | BlockingRead[object], reply: object
) -> None:
    with pytest.raises(UnexpectedReplyError):
        operation.decode(reply)


def test_a_stored_job_that_is_spoilt_names_its_field() -> None:
    reply = [1, [b"name", b"n", b"data", b"{"]]

    with pytest.raises(UndecodableError, match=r"^data cannot be read"):
        GetJob(keys=KEYS, job_id="1").decode(reply)


@pytest.mark.parametrize(("block_ms", "word"), [(0, 0.002), (1, 0.002), (1_500, 1.5)])
def test_a_wait_for_the_marker_is_never_without_end(block_ms: int, word: float) -> None:
    assert WaitMarker(keys=KEYS, block_ms=block_ms).command().words[-1] == word


def test_a_wait_for_events_is_never_without_end() -> None:
    words = EVENTS.command().words

    assert words[words.index("BLOCK") + 1] == 1


@pytest.mark.parametrize(
    ("fields", "end"),
    [
        ({b"event": b"completed", b"returnvalue": b"7"}, Completed(b"7")),
        ({b"event": b"completed"}, Completed(b"null")),
        ({b"event": b"failed", b"failedReason": b"no"}, Failed("no")),
        ({b"event": b"failed"}, Failed("")),
        ({b"event": b"active"}, None),
        ({}, None),
    ],
)
def test_some_events_are_the_end_of_a_job(fields: dict[bytes, bytes], end: object) -> None:
    assert StoredEvent("1-0", fields).end == end


def test_a_row_that_is_not_text_is_logged_all_the_same() -> None:
    arguments = AddLog(keys=KEYS, job_id="1", row="cut \ud83d here", keep=9).call().args

    assert arguments["row"] == b"cut ? here"


def test_every_request_of_a_sender_has_a_token_of_its_own() -> None:
    assert SENDER.token(1) != SENDER.token(2)
    assert SENDER.fence_key.startswith("toril:{samples}:")
