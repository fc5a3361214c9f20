"""Put jobs aside until their children have ended, many at a time; a part of an exchange."""

from collections.abc import Sequence
from typing import ClassVar, Final

import msgspec

from toril.bullmq.operations.finish.settlement import Verdict, Wait, verdicts_of
from toril.bullmq.operations.sender import FENCED, Fenced, Sender
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

AWAIT_CHILDREN: Final = Script("toril.bullmq.operations", "finish/await_children")

_SETTLED: Final = 1


class AwaitChildren(msgspec.Struct, frozen=True, kw_only=True):
    """Have these jobs wait for their children."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    sender: Sender
    sequence: int
    waits: Sequence[Wait]
    clock_ms: int = 0

    def call(self) -> ScriptCall:
        return ScriptCall(
            AWAIT_CHILDREN,
            keys={"fence_key": self.sender.fence_key},
            touches=[*self.sender.keys.touched, self.sender.keys.waiting_children],
            args={
                "base": self.sender.keys.base,
                "sequence": self.sequence,
                "packed": msgspec.msgpack.encode(self.waits),
                "clock_ms": self.clock_ms,
            },
        )

    def decode(self, reply: Reply) -> list[Verdict] | Fenced:
        if reply == FENCED:
            return Fenced()
        match reply:
            case [int(status), [*verdicts]] if status == _SETTLED:
                return verdicts_of(AWAIT_CHILDREN, verdicts, len(self.waits))
            case _:
                raise UnexpectedReplyError(AWAIT_CHILDREN.name, reply)
