"""Leave: the holders, or the line."""

from dataclasses import dataclass
from typing import Final

from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.permits.wire import Room
from toril.toolkit.replies import truth

GIVE_BACK: Final = Script("toril.toolkit.permits.operations", "give_back")


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveBack:
    """Give up whatever place the token has; says whether it held a lease that was still good.

    A second arrival finds nothing, and says no; where that matters, it counts. For `bar_ms` the
    token is let in no more.
    """

    room: Room
    token: str
    bar_ms: int = 0
    repeat: Repeat = Repeat.SAME_TOKEN

    def call(self) -> ScriptCall:
        room = self.room
        return ScriptCall(
            GIVE_BACK,
            keys={
                "holders_key": room.holders,
                "sharing_key": room.sharing,
                "alone_key": room.alone,
                "alive_key": room.alive,
                "barred_key": room.barred,
            },
            args={
                "token": self.token,
                "bar_us": self.bar_ms * 1000,
                "limit": room.limit,
                "order": room.order.value,
                "channel": room.channel,
            },
        )

    def decode(self, reply: Reply) -> bool:
        return truth(GIVE_BACK, reply)
