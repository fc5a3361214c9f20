"""Put back the jobs whose worker went away."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.replies import texts
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

REAP_STALLED: Final = Script("toril.bullmq.operations", "maintain/reap_stalled")

_CHECKED: Final = 1


@dataclass(frozen=True, slots=True)
class StalledJobs:
    """Jobs to run again, jobs lost too often, ids dropped; and when to look again."""

    again_in_ms: int
    recovered: Sequence[str]
    exhausted: Sequence[str]
    ghosts: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReapStalled:
    """Look once, unless another worker has looked within the interval."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN
    """A second arrival finds that somebody has just looked."""

    keys: QueueKeys
    max_stalled: int
    interval_ms: int
    clock_ms: int = 0

    def call(self) -> ScriptCall:
        return ScriptCall(
            REAP_STALLED,
            keys={"stalled_check_key": self.keys.stalled_check},
            touches=self.keys.touched,
            args={
                "base": self.keys.base,
                "max_stalled": self.max_stalled,
                "interval_ms": self.interval_ms,
                "clock_ms": self.clock_ms,
            },
        )

    def decode(self, reply: Reply) -> StalledJobs:
        match reply:
            case [int(status), int(again_in_ms), [*recovered], [*exhausted], [*ghosts]] if (
                status == _CHECKED
            ):
                return StalledJobs(
                    again_in_ms,
                    texts(REAP_STALLED, recovered),
                    texts(REAP_STALLED, exhausted),
                    texts(REAP_STALLED, ghosts),
                )
            case _:
                raise UnexpectedReplyError(REAP_STALLED.name, reply)
