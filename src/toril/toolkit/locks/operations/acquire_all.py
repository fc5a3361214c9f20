"""Take several locks at once, or none of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import msgspec

from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.locks.operations.acquire import granted_or_busy
from toril.toolkit.locks.wire import LockKeys

ACQUIRE_ALL: Final = Script("toril.toolkit.locks.operations", "acquire_all")


@dataclass(frozen=True, slots=True, kw_only=True)
class AcquireAll:
    """Hold all of these by one token and one fence; their keys share a slot."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    locks: Sequence[LockKeys]
    token: str
    ttl_ms: int
    holder: str
    is_fair: bool = False

    def call(self) -> ScriptCall:
        return ScriptCall(
            ACQUIRE_ALL,
            keys={},
            args={
                "packed": msgspec.msgpack.encode([lock.lock for lock in self.locks]),
                "token": self.token,
                "ttl_ms": self.ttl_ms,
                "holder": self.holder,
                "is_fair": int(self.is_fair),
            },
            touches=[
                key
                for lock in self.locks
                for key in (lock.lock, lock.fence, lock.waiters, lock.seen, lock.spent)
            ],
        )

    def decode(self, reply: Reply) -> Granted | Busy:
        return granted_or_busy(ACQUIRE_ALL, reply)
