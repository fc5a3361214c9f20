"""Make delayed jobs ready before their time."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.move.batch import Moved, moved_in
from toril.bullmq.wire.keys import QueueKeys
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

PROMOTE_JOBS: Final = Script("toril.bullmq.operations", "move/promote_jobs")


@dataclass(frozen=True, slots=True, kw_only=True)
class PromoteJobs:
    """The `count` earliest of the delayed jobs."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN
    """Whoever wants all of them promoted wants the next ones promoted too."""

    keys: QueueKeys
    count: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            PROMOTE_JOBS,
            keys={"meta_key": self.keys.meta},
            touches=self.keys.touched,
            args={"base": self.keys.base, "count": self.count},
        )

    def decode(self, reply: Reply) -> Moved:
        return moved_in(PROMOTE_JOBS, reply)
