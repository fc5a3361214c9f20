"""End a change, and store its result if no other writer can have overtaken it."""

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.cache.operations.new_value import NOTHING, NewValue
from toril.toolkit.cache.wire import EntryKeys

CLOSE_WRITE: Final = Script("toril.toolkit.cache.operations", "close_write")


class WriteEnd(Enum):
    """What the cache holds after a change."""

    EMPTY = 0
    STORED = 1
    OVERLAPPED = 2
    """Nothing: others were changing it at the same time."""

    OUTDONE = 3
    """Nothing of this change: a higher version was stored."""

    LATE = 4
    """Nothing: the writer was cut off for longer than it said it would take."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CloseWrite:
    """Take a writer from the list; without a `value` there is nothing to store."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: EntryKeys
    token: str
    version: int | None = None
    value: NewValue | None = None

    @property
    def changes(self) -> tuple[str, ...]:
        return (self.keys.value,)

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            CLOSE_WRITE,
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
                **(self.value.args() if self.value else NOTHING),
            },
        )

    def decode(self, reply: Reply) -> WriteEnd:
        match reply:
            case [int(state)] if state in _ENDS:
                return _ENDS[state]
            case _:
                raise UnexpectedReplyError(CLOSE_WRITE.name, reply)


_ENDS: Final = {end.value: end for end in WriteEnd}
