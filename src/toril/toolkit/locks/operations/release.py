"""Let a lock go."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.locks.wire import LockKeys
from toril.toolkit.replies import truth

RELEASE: Final = Script("toril.toolkit.locks.operations", "release")


@dataclass(frozen=True, slots=True, kw_only=True)
class Release:
    """Let it go; False when this token did not hold it, which a second arrival would say too."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: LockKeys
    token: str

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            RELEASE,
            keys={"lock_key": keys.lock, "waiters_key": keys.waiters, "seen_key": keys.seen},
            args={"token": self.token},
        )

    def decode(self, reply: Reply) -> bool:
        return truth(RELEASE, reply)
