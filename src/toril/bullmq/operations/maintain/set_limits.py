"""Change the limits that hold for all workers of a queue together."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

SET_LIMITS: Final = Script("toril.bullmq.operations", "maintain/set_limits")

AS_IT_IS: Final = -1
NONE: Final = 0

_DONE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SetLimits:
    """Each limit is a number, `NONE`, or `AS_IT_IS`. A second arrival sets what is set."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: QueueKeys
    concurrency: int = AS_IT_IS
    rate_max: int = AS_IT_IS
    rate_duration_ms: int = AS_IT_IS

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            SET_LIMITS,
            keys={"meta_key": keys.meta},
            args={
                "base": keys.base,
                "concurrency": self.concurrency,
                "max": self.rate_max,
                "duration_ms": self.rate_duration_ms,
            },
            touches=(keys.wait, keys.paused, keys.active, keys.prioritized, keys.marker),
        )

    def decode(self, reply: Reply) -> None:
        if reply != [_DONE]:
            raise UnexpectedReplyError(SET_LIMITS.name, reply)
