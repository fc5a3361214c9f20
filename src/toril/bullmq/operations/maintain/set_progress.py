"""Store how far a running job has come."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

SET_PROGRESS: Final = Script("toril.bullmq.operations", "maintain/set_progress")

_MISSING: Final = 0
_STORED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SetProgress:
    """Store `progress` (JSON) and tell listeners; False when there is no such job."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN
    """The last word counts; at worst listeners hear it twice."""

    keys: QueueKeys
    job_id: str
    progress: bytes

    def call(self) -> ScriptCall:
        return ScriptCall(
            SET_PROGRESS,
            keys={
                "job_key": self.keys.job(self.job_id),
                "events_key": self.keys.events,
                "meta_key": self.keys.meta,
            },
            args={"job_id": self.job_id, "progress": self.progress},
        )

    def decode(self, reply: Reply) -> bool:
        match reply:
            case [int(status)] if status in (_MISSING, _STORED):
                return status == _STORED
            case _:
                raise UnexpectedReplyError(SET_PROGRESS.name, reply)
