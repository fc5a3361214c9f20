"""Whether a job has ended, and after which event to listen when it has not."""

from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

FINISH_STATE: Final = Script("toril.bullmq.operations", "inspect/finish_state")

_MISSING: Final = 0
_RUNNING: Final = 1
_COMPLETED: Final = 2
_FAILED: Final = 3


@dataclass(frozen=True, slots=True)
class Completed:
    """The job is done; its return value is JSON."""

    return_value: bytes


@dataclass(frozen=True, slots=True)
class Failed:
    """The job failed for good."""

    reason: str


@dataclass(frozen=True, slots=True)
class Unfinished:
    """The job has not ended (`exists`), or it is not there."""

    exists: bool
    last_event_id: str


FinishState: TypeAlias = Completed | Failed | Unfinished


@dataclass(frozen=True, slots=True, kw_only=True)
class GetFinishState:
    """Look at the state of one job and the end of the event stream, at one moment."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys
    job_id: str

    def call(self) -> ScriptCall:
        return ScriptCall(
            FINISH_STATE,
            keys={
                "job_key": self.keys.job(self.job_id),
                "completed_key": self.keys.completed,
                "failed_key": self.keys.failed,
                "events_key": self.keys.events,
            },
            args={"job_id": self.job_id},
        )

    def decode(self, reply: Reply) -> FinishState:
        match reply:
            case [int(status), bytes(), bytes(value)] if status == _COMPLETED:
                return Completed(value)
            case [int(status), bytes(), bytes(reason)] if status == _FAILED:
                return Failed(reason.decode("utf-8", "replace"))
            case [int(status), bytes(last)] if status in (_MISSING, _RUNNING):
                return Unfinished(status == _RUNNING, last.decode())
            case _:
                raise UnexpectedReplyError(FINISH_STATE.name, reply)
