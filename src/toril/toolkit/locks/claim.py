"""One attempt of one caller to hold a lock."""

import socket
from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.operation import Operation
from toril.core.process import process_id
from toril.toolkit.leases.claim import Busy, Granted
from toril.toolkit.locks.operations.acquire import Acquire
from toril.toolkit.locks.operations.give_up import GiveUp
from toril.toolkit.locks.operations.release import Release
from toril.toolkit.locks.operations.renew import Renew
from toril.toolkit.locks.wire import PLAIN, SHARDED, Holder, LockKeys

_HOST: Final = socket.gethostname()


def this_process(label: str) -> str:
    """The holder, as it is stored."""
    return Holder(label, _HOST, process_id()).stored


@dataclass(frozen=True, slots=True, kw_only=True)
class LockClaim:
    """A `Claim` on one lock."""

    kind: ClassVar[str] = "lock"

    keys: LockKeys
    token: str
    holder: str
    is_fair: bool
    is_sharded: bool
    least_fence: int = 0

    @property
    def name(self) -> str:
        """What the lock is called."""
        return self.keys.name

    @property
    def channel(self) -> str:
        """Where it is said whose turn it is."""
        return self.keys.waiters

    @property
    def member(self) -> str:
        """What is said there when it is this claim's turn, and in which way."""
        return (SHARDED if self.is_sharded else PLAIN) + self.token

    def acquisition(self, ttl_ms: int, *, waits: bool) -> Operation[Granted | Busy]:
        """Take it, or a place in line."""
        return Acquire(
            keys=self.keys,
            token=self.token,
            ttl_ms=ttl_ms,
            holder=self.holder,
            member=self.member if waits else "",
            is_fair=self.is_fair,
            least_fence=self.least_fence,
        )

    def renewal(self, ttl_ms: int) -> Operation[bool]:
        """Hold it for longer."""
        return Renew(keys=self.keys, token=self.token, ttl_ms=ttl_ms)

    def release(self) -> Operation[bool]:
        """Let it go."""
        return Release(keys=self.keys, token=self.token)

    def surrender(self, *, in_doubt: bool) -> Operation[None]:
        """Hold nothing and wait no more."""
        return GiveUp(keys=self.keys, token=self.token, member=self.member, in_doubt=in_doubt)
