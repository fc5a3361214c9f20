"""Let nobody through whose lease is older than one that was here before."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

CHECK_FENCE: Final = Script("toril.toolkit.locks.operations", "check_fence")


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFence:
    """Let this fence through; answers with the newer one that was here, or None."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    key: str
    fence: int

    def call(self) -> ScriptCall:
        return ScriptCall(CHECK_FENCE, keys={"fence_key": self.key}, args={"fence": self.fence})

    def decode(self, reply: Reply) -> int | None:
        match reply:
            case [1, int()]:
                return None
            case [0, int(newest)]:
                return newest
            case _:
                raise UnexpectedReplyError(CHECK_FENCE.name, reply)
