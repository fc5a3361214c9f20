"""Correct the cost of what was granted, down or up."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import msgspec

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.limits.wire import Row, forgotten_key

ADJUST: Final = Script("toril.toolkit.limits.operations", "adjust")

_DONE: Final = 1
_DONE_BEFORE: Final = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Adjust:
    """As if `actual` had been the cost of these rows, as far as that harms no limit.

    What was granted before a reset is not given back: it does not count any more.

    Its receipt makes it happen once, however often it arrives within a minute. The answer to the
    operation is forgotten: it does not say any more what counts.
    """

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    receipt_key: str
    answer_key: str
    rows: Sequence[Row]
    granted_us: int
    slot_us: int
    actual: int

    def call(self) -> ScriptCall:
        keys = [row[0] for row in self.rows]
        forgotten = [forgotten_key(key) for key in keys]
        return ScriptCall(
            ADJUST,
            keys={"receipt_key": self.receipt_key, "answer_key": self.answer_key},
            args={
                "granted_us": self.granted_us,
                "slot_us": self.slot_us,
                "actual": self.actual,
                "packed": msgspec.msgpack.encode(self.rows),
                "packed_marks": msgspec.msgpack.encode(forgotten),
            },
            touches=[*keys, *forgotten],
        )

    def decode(self, reply: Reply) -> int | None:
        """The moment at which it was done; None when that was before."""
        match reply:
            case [int(status), int(now_us)] if status == _DONE:
                return now_us
            case [int(status), int()] if status == _DONE_BEFORE:
                return None
            case _:
                raise UnexpectedReplyError(ADJUST.name, reply)
