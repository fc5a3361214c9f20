"""Store a value, whoever loads it now, unless somebody changes what it is made of."""

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.cache.operations.new_value import NewValue
from toril.toolkit.cache.wire import EntryKeys

STORE: Final = Script("toril.toolkit.cache.operations", "store")


class StoreEnd(Enum):
    """What became of a value."""

    WRITING = 0
    """Refused: somebody changes what it is made of."""

    STORED = 1
    OUTDONE = 2
    """Refused: a higher version was stored."""

    CHANGED = 3
    """Refused: the entry was changed in the meantime."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """Store this value. A second arrival stores it once more, its time begins anew."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: EntryKeys
    token: str
    value: NewValue
    changed: bytes
    """When the entry was last changed, as it was read before."""

    version: int | None = None

    @property
    def changes(self) -> tuple[str, ...]:
        return (self.keys.value,)

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            STORE,
            keys={
                "value_key": keys.value,
                "marker_key": keys.marker,
                "lease_key": keys.lease,
                "writers_key": keys.writers,
                "version_key": keys.version,
                "changed_key": keys.changed,
            },
            args={
                "token": self.token,
                "version": "" if self.version is None else self.version,
                "changed": self.changed,
                **self.value.args(),
            },
        )

    def decode(self, reply: Reply) -> StoreEnd:
        match reply:
            case [int(state)] if state in _ENDS:
                return _ENDS[state]
            case _:
                raise UnexpectedReplyError(STORE.name, reply)


_ENDS: Final = {end.value: end for end in StoreEnd}
