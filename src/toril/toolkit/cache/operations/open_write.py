"""Begin to change what an entry is made of: until the end nothing is there, nor stored."""

from collections.abc import Sequence
from typing import ClassVar, Final

import msgspec

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.cache.wire import EntryKeys

OPEN_WRITE: Final = Script("toril.toolkit.cache.operations", "open_write")

_OPENED: Final = 1


class OpenWrite(msgspec.Struct, frozen=True, kw_only=True):
    """List a writer, remove the entry, and read generations, divided by spaces."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: EntryKeys
    token: str
    is_versioned: bool
    length_ms: int
    generation_keys: Sequence[str]
    keep_ms: int

    @property
    def changes(self) -> tuple[str, ...]:
        return (self.keys.value,)

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            OPEN_WRITE,
            keys={
                "value_key": keys.value,
                "marker_key": keys.marker,
                "lease_key": keys.lease,
                "writers_key": keys.writers,
                "changed_key": keys.changed,
            },
            args={
                "token": self.token,
                "kind": "versioned" if self.is_versioned else "plain",
                "length_ms": self.length_ms,
                "generations": msgspec.msgpack.encode(self.generation_keys),
                "keep_ms": self.keep_ms,
            },
            touches=self.generation_keys,
        )

    def decode(self, reply: Reply) -> bytes:
        match reply:
            case [int(state), bytes(generations)] if state == _OPENED:
                return generations
            case _:
                raise UnexpectedReplyError(OPEN_WRITE.name, reply)
