"""Prolong the leases of jobs that were claimed, and of which this process does not know yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import msgspec

from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

RENEW_UNREAD: Final = Script("toril.bullmq.operations", "maintain/renew_unread")

_RENEWED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RenewUnread:
    """Prolong what requests with these tokens have claimed; answers how many that were."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: QueueKeys
    tokens: Sequence[str]
    lock_ms: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            RENEW_UNREAD,
            keys={"active_key": self.keys.active, "stalled_key": self.keys.stalled},
            args={
                "base": self.keys.base,
                "lock_ms": self.lock_ms,
                "packed": msgspec.msgpack.encode(self.tokens),
            },
        )

    def decode(self, reply: Reply) -> int:
        match reply:
            case [int(status), int(count)] if status == _RENEWED:
                return count
            case _:
                raise UnexpectedReplyError(RENEW_UNREAD.name, reply)
