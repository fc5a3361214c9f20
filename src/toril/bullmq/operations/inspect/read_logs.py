"""A part of what was logged of a job."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.replies import texts
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

READ_LOGS: Final = Script("toril.bullmq.operations", "inspect/read_logs")

_MISSING: Final = 0
_READ: Final = 1


@dataclass(frozen=True, slots=True)
class LogPage:
    """Some rows of the log of a job, and how many it has in all."""

    rows: Sequence[str]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadLogs:
    """Read `limit` rows from `start` on, counted from the oldest or from the newest.

    Answers None when there is no such job.
    """

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys
    job_id: str
    start: int
    limit: int
    newest_first: bool

    def call(self) -> ScriptCall:
        first, last = self.start, self.start + self.limit - 1
        if self.newest_first:
            first, last = -1 - last, -1 - first
        return ScriptCall(
            READ_LOGS,
            keys={
                "logs_key": self.keys.logs(self.job_id),
                "job_key": self.keys.job(self.job_id),
            },
            args={"first": first, "last": last},
        )

    def decode(self, reply: Reply) -> LogPage | None:
        match reply:
            case [int(status), int(total), [*raw]] if status == _READ:
                rows = texts(READ_LOGS, raw)
                return LogPage(rows[::-1] if self.newest_first else rows, total)
            case [int(status)] if status == _MISSING:
                return None
            case _:
                raise UnexpectedReplyError(READ_LOGS.name, reply)
