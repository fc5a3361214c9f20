"""Moves of whole queues without a server: what they send, and how they read every answer."""

import pytest
from tests.support.operation_samples import KEYS

from toril.bullmq.operations.clear.clean_jobs import Cleaned, CleanJobs
from toril.bullmq.operations.clear.drain_jobs import DrainJobs
from toril.bullmq.operations.clear.obliterate import Busy, Obliterate
from toril.bullmq.operations.clear.sweep import Sweep
from toril.bullmq.operations.inspect.count_ended import CountEnded, Ended
from toril.bullmq.operations.inspect.is_paused import IsPaused
from toril.bullmq.operations.maintain.pause import Pause
from toril.bullmq.operations.maintain.resume import Resume
from toril.bullmq.operations.maintain.trim_events import TrimEvents
from toril.bullmq.operations.move.batch import Moved
from toril.bullmq.operations.move.promote_jobs import PromoteJobs
from toril.bullmq.operations.move.retry_jobs import RetryJobs
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Operation

PAUSED = IsPaused(keys=KEYS)
CLEAN = CleanJobs(keys=KEYS, place="wait", grace_ms=0, count=9)
OBLITERATE = Obliterate(keys=KEYS, force=False, count=9)
COUNT = CountEnded(ended_key=KEYS.failed)
RETRY = RetryJobs(keys=KEYS, kind="completed", until_ms=5, count=9)

ANSWERS: list[tuple[Operation[object], object, object]] = [
    (Pause(keys=KEYS), [1], None),
    (Resume(keys=KEYS), [1], None),
    (PAUSED, [1, 1], True),
    (PAUSED, [1, 0], False),
    (TrimEvents(keys=KEYS, max_length=5), [1, 7], 7),
    (COUNT, [1, 1_700_000_000_000, 3], Ended(1_700_000_000_000, 3)),
    (PromoteJobs(keys=KEYS, count=9), [1, 3, 2], Moved(taken=3, jobs=2)),
    (DrainJobs(keys=KEYS, delayed=False, count=9), [1, 4], 4),
    (CLEAN, [1, 0, 3, [b"7"]], Cleaned(["7"], 3, is_last=False)),
    (OBLITERATE, [0, 2], Busy(2)),
    (OBLITERATE, [1], True),
    (OBLITERATE, [2], False),
    (Sweep(keys=KEYS), [1, b"17"], "17"),
    (RETRY, [1, 9, 9], Moved(taken=9, jobs=9)),
]


@pytest.mark.parametrize(("operation", "reply", "outcome"), ANSWERS)
def test_an_answer_says(operation: Operation[object], reply: object, outcome: object) -> None:
    assert operation.decode(reply) == outcome


@pytest.mark.parametrize("operation", [operation for operation, *_ in ANSWERS])
@pytest.mark.parametrize("reply", [None, [], [9], [1, [b"x"]], [0, 0, 0], b"1"])
def test_an_unknown_reply_is_an_error_not_a_guess(
    operation: Operation[object], reply: object
) -> None:
    with pytest.raises(UnexpectedReplyError):
        operation.decode(reply)


def test_completed_jobs_are_looked_for_among_the_completed() -> None:
    assert RETRY.call().all_keys[0] == KEYS.completed


def test_without_a_moment_now_is_meant() -> None:
    assert COUNT.call().arguments == [0, 0]
