"""Give back the lease on loading, and for a while keep others from what has just failed."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.cache.wire import EntryKeys

RELEASE: Final = Script("toril.toolkit.cache.operations", "release")

_GONE: Final = 0
_RELEASED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Let others load; with `backoff_ms` only after that time."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: EntryKeys
    token: str
    backoff_ms: int = 0
    reason: str = ""

    def call(self) -> ScriptCall:
        return ScriptCall(
            RELEASE,
            keys={"marker_key": self.keys.marker, "lease_key": self.keys.lease},
            args={"token": self.token, "backoff_ms": self.backoff_ms, "reason": self.reason},
        )

    def decode(self, reply: Reply) -> None:
        if reply not in ([_RELEASED], [_GONE]):
            raise UnexpectedReplyError(RELEASE.name, reply)
