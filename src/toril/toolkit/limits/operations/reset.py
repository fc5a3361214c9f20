"""Forget what was granted under the limits of a key."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import msgspec

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.limits.wire import forgotten_key

RESET: Final = Script("toril.toolkit.limits.operations", "reset")

_DONE: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reset:
    """Remove the state of each limit, and remember when that was."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: Sequence[str]

    def call(self) -> ScriptCall:
        first, *others = self.keys
        forgotten = [forgotten_key(key) for key in self.keys]
        return ScriptCall(
            RESET,
            keys={"first_key": first},
            args={
                "packed": msgspec.msgpack.encode(others),
                "packed_marks": msgspec.msgpack.encode(forgotten),
            },
            touches=[*others, *forgotten],
        )

    def decode(self, reply: Reply) -> int:
        """The moment at which it was done."""
        match reply:
            case [int(status), int(now_us)] if status == _DONE:
                return now_us
            case _:
                raise UnexpectedReplyError(RESET.name, reply)
