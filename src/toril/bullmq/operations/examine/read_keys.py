"""Read keys of a queue, as many as fit into one reply."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, NamedTuple, TypeAlias

from toril.bullmq.doctor.rows import key_of, names_key
from toril.bullmq.doctor.snapshot import Key
from toril.bullmq.operations.replies import raws
from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.wire.netstrings import netstrings
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

READ_KEYS: Final = Script("toril.bullmq.operations", "examine/read_keys")

How: TypeAlias = Literal["all", "names", "type"]

_READ: Final = 1


class Read(NamedTuple):
    """What was read, and when; of the names that were asked for, the first."""

    now_ms: int
    keys: list[Key]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadKeys:
    """Read these, each as far as `how` says; stop when the reply has become large."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys
    names: Sequence[tuple[How, str]]
    max_bytes: int = 2**20

    def call(self) -> ScriptCall:
        return ScriptCall(
            READ_KEYS,
            keys={"meta_key": self.keys.meta},
            args={
                "base": self.keys.base,
                "names": netstrings(part for pair in self.names for part in pair),
                "max_bytes": self.max_bytes,
            },
        )

    def decode(self, reply: Reply) -> Read:
        match reply:
            case [int(status), int(now_ms), [*rows]] if status == _READ:
                hows = (how for how, _ in self.names)
                return Read(now_ms, [_key(how, row) for how, row in zip(hows, rows, strict=False)])
            case _:
                raise UnexpectedReplyError(READ_KEYS.name, reply)


def _key(how: How, row: object) -> Key:
    match row:
        case [bytes(kind), int(ttl_ms), [*content]]:
            read = names_key if how == "names" else key_of
            return read(kind, ttl_ms, raws(READ_KEYS, content))
        case _:
            raise UnexpectedReplyError(READ_KEYS.name, row)
