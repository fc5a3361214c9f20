"""Remove the children that a job waits for."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

REMOVE_PENDING_CHILDREN: Final = Script("toril.bullmq.operations", "move/remove_pending_children")

_MISSING: Final = 0
_REMOVED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RemovePendingChildren:
    """Answers how many jobs are gone, None when there is no such parent.

    Sent again, it could remove children that were added since.
    """

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: QueueKeys
    job_id: str

    def call(self) -> ScriptCall:
        return ScriptCall(
            REMOVE_PENDING_CHILDREN,
            keys={"job_key": self.keys.job(self.job_id)},
            touches=(*self.keys.touched, self.keys.waiting_children),
            args={"base": self.keys.base, "job_id": self.job_id},
        )

    def decode(self, reply: Reply) -> int | None:
        match reply:
            case [int(status), int(count)] if status == _REMOVED:
                return count
            case [int(status)] if status == _MISSING:
                return None
            case _:
                raise UnexpectedReplyError(REMOVE_PENDING_CHILDREN.name, reply)
