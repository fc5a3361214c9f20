"""Prolong the time of a writer, while its change goes on."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.cache.wire import EntryKeys

RENEW_WRITE: Final = Script("toril.toolkit.cache.operations", "renew_write")

_GONE: Final = 0
_RENEWED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewWrite:
    """Prolong the time of a writer; False when it is not listed any more."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: EntryKeys
    token: str
    length_ms: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            RENEW_WRITE,
            keys={"writers_key": self.keys.writers},
            args={"token": self.token, "length_ms": self.length_ms},
        )

    def decode(self, reply: Reply) -> bool:
        if reply not in ([_RENEWED], [_GONE]):
            raise UnexpectedReplyError(RENEW_WRITE.name, reply)
        return reply == [_RENEWED]
