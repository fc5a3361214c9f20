"""What is to be stored of a run, and what came of storing it."""

from collections.abc import Sequence
from enum import Enum
from typing import Final, Literal, TypeAlias

import msgspec

from toril.bullmq.operations.replies import numbers
from toril.bullmq.wire.options import KeepRule
from toril.core.errors import UnexpectedReplyError
from toril.core.script import Script


class Finish(msgspec.Struct, frozen=True, kw_only=True):
    """The run is the end of its job.

    `text` is the result as JSON or the reason as it is; `attempts` how many the job had in all.
    `fields` are hash fields to store beside, as a flat list of names and values. The end
    `is_linked` when other jobs hear of it: a parent, the next one with the same deduplication id.
    """

    id: str
    token: str
    kind: Literal["completed", "failed"]
    text: str
    keep: KeepRule = KeepRule()
    attempts: int = 0
    fields: Sequence[str] = ()
    is_linked: bool = False


class Return(msgspec.Struct, frozen=True, kw_only=True):
    """The job runs again: now, later, or on another worker.

    `counts` says that the attempt is used up, `lifo` that a retry goes to the head of the line,
    `limit_ms` for how long no job of the queue is to start.
    """

    id: str
    token: str
    kind: Literal["retry", "delay", "give_back"]
    delay_ms: int = 0
    counts: bool = True
    lifo: bool = False
    limit_ms: int = 0
    fields: Sequence[str] = ()


class Wait(msgspec.Struct, frozen=True, kw_only=True):
    """The job runs again when its children have ended."""

    id: str
    token: str
    fields: Sequence[str] = ()


Settlement: TypeAlias = Finish | Return | Wait


class Verdict(Enum):
    """What became of one settlement; anything but STORED changed nothing."""

    STORED = 1
    MISSING = 2
    LOCK_LOST = 3
    NOT_ACTIVE = 4
    PENDING_CHILDREN = 5
    """A job with children that are pending cannot complete."""

    FAILED_CHILDREN = 6
    """A job whose child has failed it can neither complete nor wait."""

    LINKED = 7
    """The job was given a parent while it ran: it ends as a linked one."""

    NO_CHILDREN = 8
    """There is no child to wait for."""


_VERDICTS: Final = {verdict.value: verdict for verdict in Verdict}


def verdicts_of(script: Script, members: Sequence[object], count: int) -> list[Verdict]:
    """One verdict for each settlement that was sent.

    Raises:
        UnexpectedReplyError: there are more or fewer, or unknown ones.
    """
    read = [_VERDICTS[number] for number in numbers(script, members) if number in _VERDICTS]
    if not len(read) == len(members) == count:
        raise UnexpectedReplyError(script.name, members)
    return read
