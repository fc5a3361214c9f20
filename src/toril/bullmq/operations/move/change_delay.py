"""Put a delayed job off anew."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.move.refusal import Refused, refusal_in
from toril.bullmq.wire.keys import QueueKeys
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

CHANGE_DELAY: Final = Script("toril.bullmq.operations", "move/change_delay")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeDelay:
    """Due `delay_ms` from now. Sent again, it would count from later."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: QueueKeys
    job_id: str
    delay_ms: int
    clock_ms: int = 0

    def call(self) -> ScriptCall:
        return ScriptCall(
            CHANGE_DELAY,
            keys={"job_key": self.keys.job(self.job_id)},
            touches=(*self.keys.touched, self.keys.waiting_children),
            args={
                "base": self.keys.base,
                "job_id": self.job_id,
                "delay_ms": self.delay_ms,
                "clock_ms": self.clock_ms,
            },
        )

    def decode(self, reply: Reply) -> Refused | None:
        return refusal_in(CHANGE_DELAY, reply)
