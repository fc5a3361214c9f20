"""Make a delayed job ready before its time."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.move.refusal import Refused, refusal_in
from toril.bullmq.wire.keys import QueueKeys
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

PROMOTE_JOB: Final = Script("toril.bullmq.operations", "move/promote_job")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoteJob:
    """The job must be delayed. Sent again, it would promote a job that was put off since."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: QueueKeys
    job_id: str

    def call(self) -> ScriptCall:
        return ScriptCall(
            PROMOTE_JOB,
            keys={"job_key": self.keys.job(self.job_id)},
            touches=(*self.keys.touched, self.keys.waiting_children),
            args={"base": self.keys.base, "job_id": self.job_id},
        )

    def decode(self, reply: Reply) -> Refused | None:
        return refusal_in(PROMOTE_JOB, reply)
