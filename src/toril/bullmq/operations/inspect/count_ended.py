"""Fix which finished jobs are meant, before something is done with them in several requests."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

COUNT_ENDED: Final = Script("toril.bullmq.operations", "inspect/count_ended")

_COUNTED: Final = 1


@dataclass(frozen=True, slots=True)
class Ended:
    """How many had ended by that moment."""

    until_ms: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CountEnded:
    """Count the members of a set of finished jobs; `until_ms` None is now."""

    repeat: ClassVar[Repeat] = Repeat.READS

    ended_key: str
    until_ms: int | None = None
    clock_ms: int = 0

    def call(self) -> ScriptCall:
        return ScriptCall(
            COUNT_ENDED,
            keys={"ended_key": self.ended_key},
            args={"until_ms": self.until_ms or 0, "clock_ms": self.clock_ms},
        )

    def decode(self, reply: Reply) -> Ended:
        match reply:
            case [int(status), int(until_ms), int(count)] if status == _COUNTED:
                return Ended(until_ms, count)
            case _:
                raise UnexpectedReplyError(COUNT_ENDED.name, reply)
