"""Moves of single jobs without a server: what they send, and how they read every answer."""

import pytest
from tests.support.operation_samples import KEYS

from toril.bullmq.operations.move.change_delay import ChangeDelay
from toril.bullmq.operations.move.change_priority import ChangePriority
from toril.bullmq.operations.move.promote_job import PromoteJob
from toril.bullmq.operations.move.refusal import Refused
from toril.bullmq.operations.move.retry_job import RetryJob
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Operation

PROMOTE = PromoteJob(keys=KEYS, job_id="7")
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
