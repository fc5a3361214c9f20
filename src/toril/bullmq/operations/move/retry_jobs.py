"""Run finished jobs once more."""

from dataclasses import dataclass
from typing import ClassVar, Final, Literal, TypeAlias

from toril.bullmq.operations.move.batch import Moved, moved_in
from toril.bullmq.wire.keys import QueueKeys
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

FinishedState: TypeAlias = Literal["failed", "completed"]

FINISHED_STATES: Final[tuple[FinishedState, ...]] = ("failed", "completed")

RETRY_JOBS: Final = Script("toril.bullmq.operations", "move/retry_jobs")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryJobs:
    """The first `count` of those that had ended by `until_ms`."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN
    """A job that has ended again since did so after `until_ms`."""

    keys: QueueKeys
    kind: FinishedState
    until_ms: int
    count: int

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            RETRY_JOBS,
            keys={"ended_key": keys.failed if self.kind == "failed" else keys.completed},
            touches=keys.touched,
            args={
                "base": keys.base,
                "kind": self.kind,
                "until_ms": self.until_ms,
                "count": self.count,
            },
        )

    def decode(self, reply: Reply) -> Moved:
        return moved_in(RETRY_JOBS, reply)
