"""Remove the jobs that wait to run."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

DRAIN_JOBS: Final = Script("toril.bullmq.operations", "clear/drain_jobs")

_DRAINED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class DrainJobs:
    """The next `count` jobs, delayed ones last and only if asked for; answers how many went."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN
    """Whoever wants the queue empty wants the next ones removed too."""

    keys: QueueKeys
    delayed: bool
    count: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            DRAIN_JOBS,
            keys={"meta_key": self.keys.meta},
            touches=(*self.keys.touched, self.keys.waiting_children),
            args={"base": self.keys.base, "delayed": int(self.delayed), "count": self.count},
        )

    def decode(self, reply: Reply) -> int:
        match reply:
            case [int(status), int(removed)] if status == _DRAINED:
                return removed
            case _:
                raise UnexpectedReplyError(DRAIN_JOBS.name, reply)
