"""Moves of single jobs without a server: what they send, and how they read every answer."""

import pytest
from tests.support.operation_samples import KEYS

from toril.bullmq.operations.inspect.job_state import GetJobState
from toril.bullmq.operations.inspect.read_logs import LogPage, ReadLogs
from toril.bullmq.operations.maintain.clear_logs import ClearLogs
from toril.bullmq.operations.maintain.update_data import UpdateData
from toril.bullmq.operations.move.change_delay import ChangeDelay
from toril.bullmq.operations.move.change_priority import ChangePriority
from toril.bullmq.operations.move.leave_parent import LeaveParent
from toril.bullmq.operations.move.promote_job import PromoteJob
from toril.bullmq.operations.move.refusal import Refused
from toril.bullmq.operations.move.remove_job import Locked, Removed, RemoveJob, Scheduled
from toril.bullmq.operations.move.remove_pending_children import RemovePendingChildren
from toril.bullmq.operations.move.retry_job import RetryJob
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Operation

PROMOTE = PromoteJob(keys=KEYS, job_id="7")
REMOVE = RemoveJob(keys=KEYS, job_id="7", with_children=True)
MOVES = [
    PROMOTE,
    ChangeDelay(keys=KEYS, job_id="7", delay_ms=5),
    ChangePriority(keys=KEYS, job_id="7", priority=2, lifo=True),
    RetryJob(keys=KEYS, job_id="7", anew=False),
]


@pytest.mark.parametrize("move", MOVES, ids=lambda move: type(move).__name__)
def test_the_names_match_the_signature_of_the_script(move: Operation[object]) -> None:
    call = move.call()

    assert call.script.in_order("KEYS", call.keys) == ["bull:{samples}:7"]
    assert call.arguments[:2] == ["bull:{samples}:", "7"]


@pytest.mark.parametrize("move", MOVES, ids=lambda move: type(move).__name__)
@pytest.mark.parametrize("reply", [None, [], [3], [1, 2], [2], [2, 7], b"1"])
def test_an_unknown_reply_is_an_error_not_a_guess(move: Operation[object], reply: object) -> None:
    with pytest.raises(UnexpectedReplyError):
        move.decode(reply)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ([1], None),
        ([0], Refused(None)),
        ([2, b"wait"], Refused("waiting")),
        ([2, b"waiting-children"], Refused("waiting_children")),
        ([2, b""], Refused("unknown")),
    ],
)
def test_a_refusal_says_where_the_job_is(reply: object, outcome: Refused | None) -> None:
    assert PROMOTE.decode(reply) == outcome


@pytest.mark.parametrize(("newest_first", "places"), [(False, [10, 14]), (True, [-15, -11])])
def test_a_part_of_a_log_is_counted_from_either_end(newest_first: bool, places: list[int]) -> None:
    read = ReadLogs(keys=KEYS, job_id="7", start=10, limit=5, newest_first=newest_first)

    assert read.call().arguments == places
    assert read.decode([1, 12, [b"a", b"b"]]) == LogPage(
        ["b", "a"] if newest_first else ["a", "b"], 12
    )


@pytest.mark.parametrize(
    "operation",
    [
        ReadLogs(keys=KEYS, job_id="7", start=0, limit=5, newest_first=False),
        ClearLogs(keys=KEYS, job_id="7", keep=0),
        UpdateData(keys=KEYS, job_id="7", data=b"1"),
        GetJobState(keys=KEYS, job_id="7"),
        LeaveParent(keys=KEYS, job_id="7"),
        RemovePendingChildren(keys=KEYS, job_id="7"),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_what_is_done_to_one_job_knows_its_replies(operation: Operation[object]) -> None:
    assert not operation.decode([0])
    for reply in (None, [], [7], [1, 1, 1], b"1"):
        with pytest.raises(UnexpectedReplyError):
            operation.decode(reply)


@pytest.mark.parametrize(
    ("reply", "removal"),
    [
        ([1, 3], Removed(3)),
        ([2, b"bull:mail:7"], Locked("bull:mail:7")),
        ([3, b"s"], Scheduled("s")),
    ],
)
def test_a_removal_says_what_stood_in_its_way(reply: object, removal: object) -> None:
    assert REMOVE.decode(reply) == removal


@pytest.mark.parametrize("reply", [None, [], [1], [2, 1], [3], [4, b"x"], [1, b"1"]])
def test_an_unknown_reply_to_a_removal_is_an_error(reply: object) -> None:
    with pytest.raises(UnexpectedReplyError):
        REMOVE.decode(reply)
