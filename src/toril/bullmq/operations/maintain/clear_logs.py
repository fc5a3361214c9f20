"""Forget what was logged of a job."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

CLEAR_LOGS: Final = Script("toril.bullmq.operations", "maintain/clear_logs")

_MISSING: Final = 0
_DONE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ClearLogs:
    """Keep the newest `keep` rows; False when there is no such job.

    Sent again, it would remove rows that were written since.
    """

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: QueueKeys
    job_id: str
    keep: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            CLEAR_LOGS,
            keys={
                "logs_key": self.keys.logs(self.job_id),
                "job_key": self.keys.job(self.job_id),
            },
            args={"keep": self.keep},
        )

    def decode(self, reply: Reply) -> bool:
        match reply:
            case [int(status)] if status in (_MISSING, _DONE):
                return status == _DONE
            case _:
                raise UnexpectedReplyError(CLEAR_LOGS.name, reply)
