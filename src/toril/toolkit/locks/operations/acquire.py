"""Take a lock that is free, if nobody else's turn comes first."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.locks.wire import LockKeys

ACQUIRE: Final = Script("toril.toolkit.locks.operations", "acquire")

_LOOK_AGAIN_MS: Final = 1_000
"""When it is free, and another's turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Acquire:
    """Hold it by this token; `member` is the place to take in line where it is not free."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: LockKeys
    token: str
    ttl_ms: int
    holder: str
    member: str = ""
    is_fair: bool = False
    least_fence: int = 0

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            ACQUIRE,
            keys={
                "lock_key": keys.lock,
                "fence_key": keys.fence,
                "waiters_key": keys.waiters,
                "seen_key": keys.seen,
                "spent_key": keys.spent,
            },
            args={
                "token": self.token,
                "ttl_ms": self.ttl_ms,
                "holder": self.holder,
                "member": self.member,
                "is_fair": int(self.is_fair),
                "least_fence": self.least_fence,
            },
        )

    def decode(self, reply: Reply) -> Granted | Busy:
        return granted_or_busy(ACQUIRE, reply)


def granted_or_busy(script: Script, reply: Reply) -> Granted | Busy:
    """What an acquisition answers."""
    match reply:
        case [1, int(fence)]:
            return Granted(fence)
        case [0, int(for_ms)]:
            # A lease that ends within this millisecond is over in the next.
            return Busy(for_ms + 1 if for_ms >= 0 else _LOOK_AGAIN_MS)
        case _:
            raise UnexpectedReplyError(script.name, reply)
