"""Bring one job into order, whatever is wrong with it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.replies import texts
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

HEAL_JOB: Final = Script("toril.bullmq.operations", "examine/heal_job")

_HEALED: Final = 1
_LOCK_MS: Final = 30_000


@dataclass(frozen=True, slots=True, kw_only=True)
class HealJob:
    """Drop what belongs to a job that is gone, or put the job where it belongs."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN
    """The second time nothing is left to do."""

    keys: QueueKeys
    job_id: str

    def call(self) -> ScriptCall:
        return ScriptCall(
            HEAL_JOB,
            keys={"job_key": self.keys.job(self.job_id)},
            touches=self.keys.touched,
            args={"base": self.keys.base, "job_id": self.job_id, "lock_ms": _LOCK_MS},
        )

    def decode(self, reply: Reply) -> Sequence[str]:
        match reply:
            case [int(status), [*deeds]] if status == _HEALED:
                return texts(HEAL_JOB, deeds)
            case _:
                raise UnexpectedReplyError(HEAL_JOB.name, reply)
