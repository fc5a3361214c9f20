"""Store what was loaded, if the lease on loading it still stands."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.cache.operations.new_value import NewValue
from toril.toolkit.cache.wire import EntryKeys

FILL: Final = Script("toril.toolkit.cache.operations", "fill")

_REFUSED: Final = 0
_STORED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """Store the value of a loader; False when its lease was taken away meanwhile."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: EntryKeys
    token: str
    value: NewValue
    compute_us: int

    @property
    def changes(self) -> tuple[str, ...]:
        return (self.keys.value,)

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            FILL,
            keys={
                "value_key": keys.value,
                "marker_key": keys.marker,
                "lease_key": keys.lease,
            },
            args={"token": self.token, "compute_us": self.compute_us, **self.value.args()},
        )

    def decode(self, reply: Reply) -> bool:
        if reply not in ([_STORED], [_REFUSED]):
            raise UnexpectedReplyError(FILL.name, reply)
        return reply == [_STORED]
