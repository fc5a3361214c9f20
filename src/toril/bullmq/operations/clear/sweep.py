"""Remove what an obliterated queue has left on the server."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

SWEEP: Final = Script("toril.bullmq.operations", "clear/sweep")
START: Final = "0"

_SWEPT: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Look at some of the server's keys; answers where to go on, `START` when that was all."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: QueueKeys
    cursor: str = START

    def call(self) -> ScriptCall:
        return ScriptCall(
            SWEEP,
            keys={"id_key": self.keys.id_counter},
            args={
                "base": self.keys.base,
                "own_base": self.keys.own(""),
                "cursor": self.cursor,
            },
        )

    def decode(self, reply: Reply) -> str:
        match reply:
            case [int(status), bytes(cursor)] if status == _SWEPT:
                return cursor.decode()
            case _:
                raise UnexpectedReplyError(SWEEP.name, reply)
