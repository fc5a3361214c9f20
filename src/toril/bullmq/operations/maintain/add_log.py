"""Add a row to the log of a job."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

ADD_LOG: Final = Script("toril.bullmq.operations", "maintain/add_log")

_MISSING: Final = 0
_STORED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AddLog:
    """Add one row and keep the newest `keep`; answers how many there are, or None for no job."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: QueueKeys
    job_id: str
    row: str
    keep: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            ADD_LOG,
            keys={
                "job_key": self.keys.job(self.job_id),
                "logs_key": self.keys.logs(self.job_id),
            },
            args={"row": self.row.encode("utf-8", "replace"), "keep": self.keep},
        )

    def decode(self, reply: Reply) -> int | None:
        match reply:
            case [int(status), int(rows)] if status == _STORED:
                return rows
            case [int(status)] if status == _MISSING:
                return None
            case _:
                raise UnexpectedReplyError(ADD_LOG.name, reply)
