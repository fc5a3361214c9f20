"""Whether a queue is paused."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

IS_PAUSED: Final = Script("toril.bullmq.operations", "inspect/is_paused")

_LOOKED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class IsPaused:
    """Look whether anybody has paused the queue."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys

    def call(self) -> ScriptCall:
        return ScriptCall(IS_PAUSED, keys={"meta_key": self.keys.meta}, args={})

    def decode(self, reply: Reply) -> bool:
        match reply:
            case [int(status), int(found)] if status == _LOOKED:
                return found == 1
            case _:
                raise UnexpectedReplyError(IS_PAUSED.name, reply)
