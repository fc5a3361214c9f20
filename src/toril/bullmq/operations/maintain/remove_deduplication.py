"""Let the next job with a deduplication id in."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

REMOVE_DEDUPLICATION: Final = Script("toril.bullmq.operations", "maintain/remove_deduplication")

_REMOVED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RemoveDeduplication:
    """Take a deduplication id from its owner. A second arrival could take it from the next one."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: QueueKeys
    deduplication_id: str

    def call(self) -> ScriptCall:
        key = self.keys.deduplication(self.deduplication_id)
        return ScriptCall(REMOVE_DEDUPLICATION, keys={"deduplication_key": key}, args={})

    def decode(self, reply: Reply) -> bool:
        match reply:
            case [int(status), int(removed)] if status == _REMOVED:
                return removed == 1
            case _:
                raise UnexpectedReplyError(REMOVE_DEDUPLICATION.name, reply)
