"""Remove a job and all that belongs to it."""

from dataclasses import dataclass
from typing import ClassVar, Final, TypeAlias

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

REMOVE_JOB: Final = Script("toril.bullmq.operations", "move/remove_job")

_REMOVED: Final = 1
_LOCKED: Final = 2
_SCHEDULED: Final = 3


@dataclass(frozen=True, slots=True)
class Removed:
    """How many jobs are gone, children included; 0 when there was none."""

    count: int


@dataclass(frozen=True, slots=True)
class Locked:
    """A worker has the job with this key: it, or a child of it. Nothing was removed."""

    job_key: str


@dataclass(frozen=True, slots=True)
class Scheduled:
    """It is the next job of this scheduler. Nothing was removed."""

    scheduler: str


Removal: TypeAlias = Removed | Locked | Scheduled


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveJob:
    """Remove it, with its children if wanted. Sent again, it could remove one added since."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: QueueKeys
    job_id: str
    with_children: bool

    def call(self) -> ScriptCall:
        return ScriptCall(
            REMOVE_JOB,
            keys={"job_key": self.keys.job(self.job_id)},
            touches=(*self.keys.touched, self.keys.waiting_children, self.keys.schedulers),
            args={
                "base": self.keys.base,
                "job_id": self.job_id,
                "with_children": int(self.with_children),
            },
        )

    def decode(self, reply: Reply) -> Removal:
        return removal_in(REMOVE_JOB, reply)


def removal_in(script: Script, reply: Reply) -> Removal:
    """What `remove_wholly` answered, in a reply of this script."""
    match reply:
        case [int(status), int(count)] if status == _REMOVED:
            return Removed(count)
        case [int(status), bytes(job_key)] if status == _LOCKED:
            return Locked(job_key.decode("utf-8", "replace"))
        case [int(status), bytes(scheduler)] if status == _SCHEDULED:
            return Scheduled(scheduler.decode("utf-8", "replace"))
        case _:
            raise UnexpectedReplyError(script.name, reply)
