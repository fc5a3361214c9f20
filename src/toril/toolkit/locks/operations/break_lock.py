"""Take a lock from whoever holds it."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.locks.wire import LockKeys
from toril.toolkit.replies import truth

BREAK: Final = Script("toril.toolkit.locks.operations", "break_lock")


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """Free it; False when nobody held it. A second arrival may break the lock of the next."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: LockKeys

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            BREAK,
            keys={"lock_key": keys.lock, "waiters_key": keys.waiters, "seen_key": keys.seen},
            args={},
        )

    def decode(self, reply: Reply) -> bool:
        return truth(BREAK, reply)
