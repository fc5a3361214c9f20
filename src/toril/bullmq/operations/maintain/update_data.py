"""Give a job other data."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

UPDATE_DATA: Final = Script("toril.bullmq.operations", "maintain/update_data")

_MISSING: Final = 0
_STORED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class UpdateData:
    """Store `data` (JSON) in place of what the job has; False when there is no such job."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN
    """The last word counts."""

    keys: QueueKeys
    job_id: str
    data: bytes

    def call(self) -> ScriptCall:
        return ScriptCall(
            UPDATE_DATA,
            keys={"job_key": self.keys.job(self.job_id)},
            args={"base": self.keys.base, "job_id": self.job_id, "data": self.data},
        )

    def decode(self, reply: Reply) -> bool:
        match reply:
            case [int(status)] if status in (_MISSING, _STORED):
                return status == _STORED
            case _:
                raise UnexpectedReplyError(UPDATE_DATA.name, reply)
