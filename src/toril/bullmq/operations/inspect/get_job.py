"""Read one job whole."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.replies import fields
from toril.bullmq.wire.job import JobRecord, read_job
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

GET_JOB: Final = Script("toril.bullmq.operations", "inspect/get_job")

_MISSING: Final = 0
_FOUND: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GetJob:
    """Answers None when there is no such job; raises `UndecodableError` for one that is spoilt."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys
    job_id: str

    def call(self) -> ScriptCall:
        return ScriptCall(GET_JOB, keys={"job_key": self.keys.job(self.job_id)}, args={})

    def decode(self, reply: Reply) -> JobRecord | None:
        match reply:
            case [int(status), flat] if status == _FOUND:
                return read_job(self.job_id, fields(GET_JOB, flat))
            case [int(status)] if status == _MISSING:
                return None
            case _:
                raise UnexpectedReplyError(GET_JOB.name, reply)
