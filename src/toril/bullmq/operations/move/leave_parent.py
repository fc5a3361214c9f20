"""Let a job be nobody's child any more."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

LEAVE_PARENT: Final = Script("toril.bullmq.operations", "move/leave_parent")

_MISSING: Final = 0
_LEFT: Final = 1
_FREE: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaveParent:
    """Answers whether somebody waited for it, None when there is no such job.

    Sent again, it would answer that nobody did.
    """

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: QueueKeys
    job_id: str

    def call(self) -> ScriptCall:
        return ScriptCall(
            LEAVE_PARENT,
            keys={"job_key": self.keys.job(self.job_id)},
            touches=(*self.keys.touched, self.keys.waiting_children),
            args={"base": self.keys.base, "job_id": self.job_id},
        )

    def decode(self, reply: Reply) -> bool | None:
        match reply:
            case [int(status)] if status in (_LEFT, _FREE):
                return status == _LEFT
            case [int(status)] if status == _MISSING:
                return None
            case _:
                raise UnexpectedReplyError(LEAVE_PARENT.name, reply)
