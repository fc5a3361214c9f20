"""Ask for a place among the holders; in vain, a place in the line."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.permits.wire import Room

TAKE: Final = Script("toril.toolkit.permits.operations", "take")

_LOOK_AGAIN_MS: Final = 1_000
"""When there is a place, and it is another's turn."""

_BUSY: Final = 0
_GRANTED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Take:
    """Ask once. A `patience_ms` above 0 keeps the token in the line for so long."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    room: Room
    token: str
    ttl_ms: int
    patience_ms: int = 0

    def call(self) -> ScriptCall:
        room = self.room
        return ScriptCall(
            TAKE,
            keys={
                "holders_key": room.holders,
                "fence_key": room.fence,
                "sharing_key": room.sharing,
                "alone_key": room.alone,
                "alive_key": room.alive,
                "barred_key": room.barred,
            },
            args={
                "token": self.token,
                "lease_us": self.ttl_ms * 1000,
                "limit": room.limit,
                "order": room.order.value,
                "patience_us": self.patience_ms * 1000,
            },
        )

    def decode(self, reply: Reply) -> Granted | Busy:
        match reply:
            case [int(status), int(fence)] if status == _GRANTED:
                return Granted(fence)
            case [int(status), int(for_ms)] if status == _BUSY:
                return Busy(for_ms if for_ms >= 0 else _LOOK_AGAIN_MS)
            case _:
                raise UnexpectedReplyError(TAKE.name, reply)
