"""Hold a lock for longer."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.locks.wire import LockKeys
from toril.toolkit.replies import truth

RENEW: Final = Script("toril.toolkit.locks.operations", "renew")


@dataclass(frozen=True, slots=True, kw_only=True)
class Renew:
    """Hold it for at least this long from now; False when this token does not hold it."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: LockKeys
    token: str
    ttl_ms: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            RENEW,
            keys={"lock_key": self.keys.lock},
            args={"token": self.token, "ttl_ms": self.ttl_ms},
        )

    def decode(self, reply: Reply) -> bool:
        return truth(RENEW, reply)
