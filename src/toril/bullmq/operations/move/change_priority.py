"""Give a job another priority."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.move.refusal import Refused, refusal_in
from toril.bullmq.wire.keys import QueueKeys
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

CHANGE_PRIORITY: Final = Script("toril.bullmq.operations", "move/change_priority")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangePriority:
    """Behind the others of the priority; with `lifo`, before them."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN
    """The last word counts; at worst the job goes to its place a second time."""

    keys: QueueKeys
    job_id: str
    priority: int
    lifo: bool

    def call(self) -> ScriptCall:
        return ScriptCall(
            CHANGE_PRIORITY,
            keys={"job_key": self.keys.job(self.job_id)},
            touches=(*self.keys.touched, self.keys.waiting_children),
            args={
                "base": self.keys.base,
                "job_id": self.job_id,
                "priority": self.priority,
                "lifo": int(self.lifo),
            },
        )

    def decode(self, reply: Reply) -> Refused | None:
        return refusal_in(CHANGE_PRIORITY, reply)
