"""Let no job start for a while, or end that."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

LIMIT_RATE: Final = Script("toril.bullmq.operations", "maintain/limit_rate")

_DONE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRate:
    """Use the rate limit up for `duration_ms`; 0 begins a new period.

    A second arrival restarts the time, by no more than the sender waited for the first answer.
    """

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: QueueKeys
    duration_ms: int

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            LIMIT_RATE,
            keys={"limiter_key": keys.limiter},
            args={"base": keys.base, "duration_ms": self.duration_ms},
            touches=(
                *(keys.meta, keys.wait, keys.paused, keys.active),
                *(keys.prioritized, keys.marker),
            ),
        )

    def decode(self, reply: Reply) -> None:
        if reply != [_DONE]:
            raise UnexpectedReplyError(LIMIT_RATE.name, reply)
