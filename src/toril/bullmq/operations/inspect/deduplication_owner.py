"""Which job keeps others with the same deduplication id out."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

DEDUPLICATION_OWNER: Final = Script("toril.bullmq.operations", "inspect/deduplication_owner")

_FREE: Final = 0
_OWNED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class GetDeduplicationOwner:
    """Read the owner of a deduplication id."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys
    deduplication_id: str

    def call(self) -> ScriptCall:
        key = self.keys.deduplication(self.deduplication_id)
        return ScriptCall(DEDUPLICATION_OWNER, keys={"deduplication_key": key}, args={})

    def decode(self, reply: Reply) -> str | None:
        match reply:
            case [int(status), bytes(owner)] if status == _OWNED:
                return owner.decode("utf-8", "replace")
            case [int(status)] if status == _FREE:
                return None
            case _:
                raise UnexpectedReplyError(DEDUPLICATION_OWNER.name, reply)
