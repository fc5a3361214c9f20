"""Which state a job is in."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.wire.state import JobState, state_at
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

JOB_STATE: Final = Script("toril.bullmq.operations", "inspect/job_state")

_MISSING: Final = 0
_FOUND: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GetJobState:
    """Look in every list of the queue; None when there is no such job."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys
    job_id: str

    def call(self) -> ScriptCall:
        return ScriptCall(
            JOB_STATE,
            keys={"job_key": self.keys.job(self.job_id)},
            args={"base": self.keys.base, "job_id": self.job_id},
            touches=(*self.keys.states, self.keys.waiting_children),
        )

    def decode(self, reply: Reply) -> JobState | None:
        match reply:
            case [int(status), bytes(place)] if status == _FOUND:
                return state_at(place.decode())
            case [int(status)] if status == _MISSING:
                return None
            case _:
                raise UnexpectedReplyError(JOB_STATE.name, reply)
