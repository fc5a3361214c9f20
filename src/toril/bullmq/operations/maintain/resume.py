"""Let jobs be taken again."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

RESUME: Final = Script("toril.bullmq.operations", "maintain/resume")

_DONE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Resume:
    """End a pause, whoever began it."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN
    """At worst listeners hear it twice."""

    keys: QueueKeys

    def call(self) -> ScriptCall:
        return ScriptCall(
            RESUME,
            keys={"meta_key": self.keys.meta},
            touches=self.keys.touched,
            args={"base": self.keys.base},
        )

    def decode(self, reply: Reply) -> None:
        if reply != [_DONE]:
            raise UnexpectedReplyError(RESUME.name, reply)
