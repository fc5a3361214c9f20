"""Prolong the lease on loading, while the loader runs."""

from dataclasses import dataclass
from typing import ClassVar, Final

from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script
from toril.toolkit.cache.wire import EntryKeys

RENEW_LEASE: Final = Script("toril.toolkit.cache.operations", "renew_lease")

_GONE: Final = 0
_RENEWED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewLease:
    """Prolong a lease; False when it is gone."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: EntryKeys
    token: str
    lease_ms: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            RENEW_LEASE,
            keys={"lease_key": self.keys.lease},
            args={"token": self.token, "lease_ms": self.lease_ms},
        )

    def decode(self, reply: Reply) -> bool:
        if reply not in ([_RENEWED], [_GONE]):
            raise UnexpectedReplyError(RENEW_LEASE.name, reply)
        return reply == [_RENEWED]
