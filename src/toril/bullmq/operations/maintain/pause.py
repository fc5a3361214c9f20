"""Keep jobs from being taken."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

PAUSE: Final = Script("toril.bullmq.operations", "maintain/pause")

_DONE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Let no job be taken any more, until the queue is resumed."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN
    """At worst listeners hear it twice."""

    keys: QueueKeys

    def call(self) -> ScriptCall:
        return ScriptCall(
            PAUSE,
            keys={"meta_key": self.keys.meta},
            touches=self.keys.touched,
            args={"base": self.keys.base},
        )

    def decode(self, reply: Reply) -> None:
        if reply != [_DONE]:
            raise UnexpectedReplyError(PAUSE.name, reply)
