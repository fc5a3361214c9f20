"""Walk through the keys of a queue; bounded steps, beside running workers."""

from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

from toril.bullmq.operations.replies import raws
from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.wire.netstrings import glob_of, to_text
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

SCAN_KEYS: Final = Script("toril.bullmq.operations", "examine/scan_keys")

BEGIN: Final = b"0"

_FOUND: Final = 1


class Found(NamedTuple):
    """Some names of keys, without what they all start with; a cursor of `BEGIN` is the end."""

    cursor: bytes
    names: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanKeys:
    """Look at the next `count` keys of the server; a name may come twice."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys
    cursor: bytes = BEGIN
    count: int = 1_000

    def call(self) -> ScriptCall:
        return ScriptCall(
            SCAN_KEYS,
            keys={"meta_key": self.keys.meta},
            args={"pattern": glob_of(self.keys.base), "cursor": self.cursor, "count": self.count},
        )

    def decode(self, reply: Reply) -> Found:
        match reply:
            case [int(status), bytes(cursor), [*found]] if status == _FOUND:
                names = (to_text(raw) for raw in raws(SCAN_KEYS, found))
                return Found(cursor, [name.removeprefix(self.keys.base) for name in names])
            case _:
                raise UnexpectedReplyError(SCAN_KEYS.name, reply)
