"""Who holds a lock, and how many wait for it."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.locks.wire import LockKeys, read_held

LOOK: Final = Script("toril.toolkit.locks.operations", "look")


@dataclass(frozen=True, slots=True)
class LockInfo:
    """A lock that is held, as it was a moment ago."""

    label: str
    """What the holder calls itself."""

    host: str
    pid: int
    fence: int
    ttl_ms: int
    """How long it is held if it is not renewed."""

    waiters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """Who holds it; None when nobody does."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: LockKeys

    def call(self) -> ScriptCall:
        keys = {"lock_key": self.keys.lock, "seen_key": self.keys.seen}
        return ScriptCall(LOOK, keys=keys, args={})

    def decode(self, reply: Reply) -> LockInfo | None:
        match reply:
            case [None, 0, int()]:
                return None
            case [bytes(held), int(ttl_ms), int(waiters)]:
                fence, holder = read_held(held)
                return LockInfo(holder.label, holder.host, holder.pid, fence, ttl_ms, waiters)
            case _:
                raise UnexpectedReplyError(LOOK.name, reply)
