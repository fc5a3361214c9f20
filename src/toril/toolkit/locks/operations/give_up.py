"""See to it that a token neither holds a lock nor waits for it."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.locks.wire import LockKeys
from toril.toolkit.replies import truth

GIVE_UP: Final = Script("toril.toolkit.locks.operations", "give_up")


@dataclass(frozen=True, slots=True, kw_only=True)
class GiveUp:
    """Hold nothing and wait no more; in doubt, also refuse what is still on its way."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: LockKeys
    token: str
    member: str
    in_doubt: bool

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            GIVE_UP,
            keys={
                "lock_key": keys.lock,
                "waiters_key": keys.waiters,
                "seen_key": keys.seen,
                "spent_key": keys.spent,
            },
            args={
                "token": self.token,
                "member": self.member,
                "is_in_doubt": int(self.in_doubt),
            },
        )

    def decode(self, reply: Reply) -> None:
        truth(GIVE_UP, reply)
