"""Remove an entry, and take away the lease of whoever loads it from what was before."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.cache.wire import EntryKeys

INVALIDATE: Final = Script("toril.toolkit.cache.operations", "invalidate")

_NOTHING: Final = 0
_REMOVED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Invalidate:
    """Remove an entry; tells whether there was one. A second arrival removes nothing more."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: EntryKeys

    @property
    def changes(self) -> tuple[str, ...]:
        return (self.keys.value,)

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            INVALIDATE,
            keys={
                "value_key": keys.value,
                "marker_key": keys.marker,
                "lease_key": keys.lease,
                "writers_key": keys.writers,
                "changed_key": keys.changed,
            },
            args={},
        )

    def decode(self, reply: Reply) -> bool:
        if reply not in ([_REMOVED], [_NOTHING]):
            raise UnexpectedReplyError(INVALIDATE.name, reply)
        return reply == [_REMOVED]
