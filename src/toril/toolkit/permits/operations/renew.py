"""Prolong a lease."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.permits.wire import Room
from toril.toolkit.replies import truth

RENEW: Final = Script("toril.toolkit.permits.operations", "renew")


@dataclass(frozen=True, slots=True, kw_only=True)
class Renew:
    """Let a lease last `ttl_ms` from now, or longer; says whether it was still good."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    room: Room
    token: str
    ttl_ms: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            RENEW,
            keys={"holders_key": self.room.holders},
            args={"token": self.token, "lease_us": self.ttl_ms * 1000},
        )

    def decode(self, reply: Reply) -> bool:
        return truth(RENEW, reply)
