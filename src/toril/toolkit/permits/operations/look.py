"""See who is in and who waits."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.permits.wire import Room

LOOK: Final = Script("toril.toolkit.permits.operations", "look")


@dataclass(frozen=True, slots=True)
class Occupancy:
    """How many hold leases and how many wait; `is_writing` when the one holder writes."""

    holders: int
    waiting: int
    is_writing: bool


@dataclass(frozen=True, slots=True)
class Look:
    """Count; changes nothing."""

    repeat: ClassVar[Repeat] = Repeat.READS

    room: Room

    def call(self) -> ScriptCall:
        keys = {"holders_key": self.room.holders, "alive_key": self.room.alive}
        return ScriptCall(LOOK, keys=keys, args={})

    def decode(self, reply: Reply) -> Occupancy:
        match reply:
            case [int(holders), int(waiting), int(is_alone)]:
                return Occupancy(holders, waiting, bool(is_alone))
            case _:
                raise UnexpectedReplyError(LOOK.name, reply)
