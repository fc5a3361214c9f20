"""Forget what was granted under the limits of a key."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import msgspec

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

RESET: Final = Script("toril.toolkit.limits.operations", "reset")

_DONE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """Remove the state of each limit."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: Sequence[str]

    def call(self) -> ScriptCall:
        first, *others = self.keys
        return ScriptCall(
            RESET,
            keys={"first_key": first},
            args={"packed": msgspec.msgpack.encode(others)},
            touches=others,
        )

    def decode(self, reply: Reply) -> None:
        if reply != [_DONE]:
            raise UnexpectedReplyError(RESET.name, reply)
