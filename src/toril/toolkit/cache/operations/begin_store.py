"""Read what a value that is about to be stored depends on."""

from collections.abc import Sequence
from typing import ClassVar, Final, NamedTuple

import msgspec

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.cache.wire import EntryKeys

BEGIN_STORE: Final = Script("toril.toolkit.cache.operations", "begin_store")

_READ: Final = 1


class Basis(NamedTuple):
    """What must not have changed when the value arrives."""

    changed: bytes
    """When the entry was last changed; empty when that was not lately."""

    generations: bytes


class BeginStore(msgspec.Struct, frozen=True, kw_only=True):
    """When the entry was last changed, and generations, divided by spaces."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: EntryKeys
    generation_keys: Sequence[str]
    keep_ms: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            BEGIN_STORE,
            keys={"changed_key": self.keys.changed},
            args={
                "generations": msgspec.msgpack.encode(self.generation_keys),
                "keep_ms": self.keep_ms,
            },
            touches=self.generation_keys,
        )

    def decode(self, reply: Reply) -> Basis:
        match reply:
            case [int(state), bytes(changed), bytes(generations)] if state == _READ:
                return Basis(changed, generations)
            case _:
                raise UnexpectedReplyError(BEGIN_STORE.name, reply)
