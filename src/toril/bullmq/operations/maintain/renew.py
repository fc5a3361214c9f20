"""Prolong the leases of running jobs, all in one call."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import msgspec

from toril.bullmq.operations.replies import numbers
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

RENEW: Final = Script("toril.bullmq.operations", "maintain/renew")

_RENEWED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Renew:
    """Prolong these (job id, token) pairs; answers with the places of those that are lost.

    Places, because a job that was lost and claimed again may be among them twice.
    """

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: QueueKeys
    leases: Sequence[tuple[str, str]]
    lock_ms: int

    def call(self) -> ScriptCall:
        return ScriptCall(
            RENEW,
            keys={"stalled_key": self.keys.stalled},
            args={
                "base": self.keys.base,
                "lock_ms": self.lock_ms,
                "packed": msgspec.msgpack.encode(self.leases),
            },
        )

    def decode(self, reply: Reply) -> frozenset[int]:
        match reply:
            case [int(status), [*lost]] if status == _RENEWED:
                return frozenset(index - 1 for index in numbers(RENEW, lost))
            case _:
                raise UnexpectedReplyError(RENEW.name, reply)
