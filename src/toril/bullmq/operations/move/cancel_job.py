"""Cancel a job, wherever it is."""

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Final, TypeAlias

from toril.bullmq.operations.move.refusal import Refused, refusal_in
from toril.bullmq.operations.move.remove_job import Locked, Removed, Scheduled, removal_in
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import JobCancelledError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

CANCEL_JOB: Final = Script("toril.bullmq.operations", "move/cancel_job")

REASON: Final = str(JobCancelledError())

NOTES_TTL_MS: Final = 3_600_000
"""Longer than a worker goes without asking for its notes, while it holds a lock."""

_UNTOLD: Final = 3
_REMOVAL: Final = 4


class Cancellation(Enum):
    """What a cancellation has done."""

    REMOVED = "removed"
    """The job did not run; it is gone, as by `remove`."""

    TOLD = "told"
    """A worker of toril runs it, and stops within a second or so; the job then fails."""

    UNTOLD = "untold"
    """It runs where nobody can be told, or its worker is lost: this run may go on to its end, but
    no other one follows."""


CancelOutcome: TypeAlias = Cancellation | Locked | Scheduled | Refused


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelJob:
    """Remove the job; or tell who runs it, and have it fail before it is run again.

    Sent again, it would cancel a run that has begun since, of a job that was retried by hand.
    """

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: QueueKeys
    job_id: str

    def call(self) -> ScriptCall:
        return ScriptCall(
            CANCEL_JOB,
            keys={
                "job_key": self.keys.job(self.job_id),
                "lock_key": self.keys.lock(self.job_id),
            },
            touches=(*self.keys.touched, self.keys.waiting_children, self.keys.schedulers),
            args={
                "base": self.keys.base,
                "job_id": self.job_id,
                "reason": REASON,
                "notes_base": self.keys.cancellations(""),
                "notes_ttl_ms": NOTES_TTL_MS,
            },
        )

    def decode(self, reply: Reply) -> CancelOutcome:
        match reply:
            case [int(status)] if status == _UNTOLD:
                return Cancellation.UNTOLD
            case [int(status), removal] if status == _REMOVAL:
                done = removal_in(CANCEL_JOB, removal)
                return Cancellation.REMOVED if isinstance(done, Removed) else done
            case _:
                return refusal_in(CANCEL_JOB, reply) or Cancellation.TOLD
