"""Remove a queue with everything in it."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

OBLITERATE: Final = Script("toril.bullmq.operations", "clear/obliterate")

_BUSY: Final = 0
_GONE: Final = 1
_MORE: Final = 2


@dataclass(frozen=True, slots=True)
class Busy:
    """Nothing was done: so many jobs run."""

    active: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Obliterate:
    """Remove up to `count` jobs; True once nothing is left, False while there is more."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: QueueKeys
    force: bool
    count: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            OBLITERATE,
            keys={"meta_key": self.keys.meta},
            touches=(*self.keys.touched, self.keys.waiting_children, self.keys.stalled_check),
            args={"base": self.keys.base, "force": int(self.force), "count": self.count},
        )

    def decode(self, reply: Reply) -> bool | Busy:
        match reply:
            case [int(status), int(active)] if status == _BUSY:
                return Busy(active)
            case [int(status)] if status in (_GONE, _MORE):
                return status == _GONE
            case _:
                raise UnexpectedReplyError(OBLITERATE.name, reply)
