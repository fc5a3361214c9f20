"""Read some of the ids that a list or a sorted set holds."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.doctor.rows import key_of
from toril.bullmq.doctor.snapshot import Key
from toril.bullmq.operations.replies import raws
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

READ_MEMBERS: Final = Script("toril.bullmq.operations", "examine/read_members")

_READ: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMembers:
    """A window of a key; an empty one is beyond its end."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys
    name: str
    start: int
    limit: int = 1_000

    def call(self) -> ScriptCall:
        return ScriptCall(
            READ_MEMBERS,
            keys={"members_key": self.keys.base + self.name},
            args={"first": self.start, "last": self.start + self.limit - 1},
        )

    def decode(self, reply: Reply) -> Key:
        match reply:
            case [int(status), bytes(kind), [*members]] if status == _READ:
                return key_of(kind, -1, raws(READ_MEMBERS, members))
            case _:
                raise UnexpectedReplyError(READ_MEMBERS.name, reply)
