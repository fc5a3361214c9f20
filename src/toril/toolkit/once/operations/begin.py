"""Begin a run, or hear what became of it."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.once.wire import RunKeys

BEGIN: Final = Script("toril.toolkit.once.operations", "begin")

_ELSEWHERE: Final = 0
_BEGUN: Final = 1
_DONE: Final = 2
_FAILED: Final = 3


@dataclass(frozen=True, slots=True)
class Ended:
    """It ended before; `text` is JSON: the result, or the error."""

    is_done: bool
    text: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """Ask once. Whoever began it already begins it again, with a new lease."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: RunKeys
    owner: str
    lease_ms: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            BEGIN,
            keys={"run_key": self.keys.run, "barred_key": self.keys.barred},
            args={"owner": self.owner, "lease_ms": self.lease_ms},
        )

    def decode(self, reply: Reply) -> Granted | Busy | Ended:
        match reply:
            case [int(status), _] if status == _BEGUN:
                return Granted(fence=0)
            case [int(status), int(left_ms)] if status == _ELSEWHERE:
                return Busy(left_ms)
            case [int(status), bytes(text)] if status in {_DONE, _FAILED}:
                return Ended(status == _DONE, text)
            case _:
                raise UnexpectedReplyError(BEGIN.name, reply)
