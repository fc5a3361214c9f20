"""Ask several limits at once: all grant, or nothing happens."""

from collections.abc import Sequence
from typing import Final

import msgspec

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.limits.ruling import Reading, Ruling
from toril.toolkit.limits.wire import Row

HIT: Final = Script("toril.toolkit.limits.operations", "hit")

ONLY_TELL: Final = -1
"""A patience with which nothing is ever granted, and all is told."""

_pack: Final = msgspec.msgpack.Encoder().encode
_GRANTED: Final = 1
_HEAD: Final = 3
_EACH: Final = 3


class Hit(msgspec.Struct, frozen=True, kw_only=True):
    """Take the first slot that is at most `patience_us` away.

    With an `operation_id` a second arrival within a minute is answered as the first one was.
    """

    receipt_key: str
    rows: Sequence[Row]
    operation_id: str = ""
    patience_us: int = 0

    @property
    def repeat(self) -> Repeat:
        if self.patience_us == ONLY_TELL:
            return Repeat.READS
        return Repeat.SAME_TOKEN if self.operation_id else Repeat.COUNTS

    def call(self) -> ScriptCall:
        return ScriptCall(
            HIT,
            keys={"receipt_key": self.receipt_key},
            args={
                "operation_id": self.operation_id,
                "patience_us": self.patience_us,
                "packed": _pack(self.rows),
            },
            touches=[row[0] for row in self.rows],
        )

    def decode(self, reply: Reply) -> Ruling:
        length = _HEAD + _EACH * len(self.rows)
        if not isinstance(reply, list) or len(reply) != length:
            raise UnexpectedReplyError(HIT.name, reply)
        if not all(isinstance(number, int) for number in reply):
            raise UnexpectedReplyError(HIT.name, reply)
        verdict, now_us, slot_us = reply[:_HEAD]
        places = range(_HEAD, length, _EACH)
        readings = [Reading(*reply[place : place + _EACH]) for place in places]
        return Ruling(verdict == _GRANTED, now_us, slot_us, readings)
