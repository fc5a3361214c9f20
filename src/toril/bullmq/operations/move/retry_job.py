"""Run a finished job once more."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.move.refusal import Refused, refusal_in
from toril.bullmq.wire.keys import QueueKeys
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

RETRY_JOB: Final = Script("toril.bullmq.operations", "move/retry_job")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryJob:
    """The job must have failed or completed; `anew` counts its attempts from none.

    Sent again, it would retry a job that has failed a second time since.
    """

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: QueueKeys
    job_id: str
    anew: bool

    def call(self) -> ScriptCall:
        return ScriptCall(
            RETRY_JOB,
            keys={"job_key": self.keys.job(self.job_id)},
            touches=(*self.keys.touched, self.keys.waiting_children),
            args={"base": self.keys.base, "job_id": self.job_id, "anew": int(self.anew)},
        )

    def decode(self, reply: Reply) -> Refused | None:
        return refusal_in(RETRY_JOB, reply)
