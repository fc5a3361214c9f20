"""Ask what became of an exchange whose reply was lost, and make sure it cannot still happen."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import msgspec

from toril.bullmq.operations.claim.claim import Taken, taken_from
from toril.bullmq.operations.replies import texts
from toril.bullmq.operations.sender import Sender
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

RECOVER: Final = Script("toril.bullmq.operations", "claim/recover")

FENCE_TTL_MS: Final = 3_600_000
"""Longer than any request can be on its way."""

_RECOVERED: Final = 1


@dataclass(frozen=True, slots=True)
class Recovered:
    """What the lost request claimed, and which of its outcomes are still to be settled."""

    taken: Sequence[Taken]
    unsettled: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Recover:
    """Give the request up for lost, then look what it did. Sent again, it sees the same."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    sender: Sender
    sequence: int
    leases: Sequence[tuple[str, str]]

    def call(self) -> ScriptCall:
        keys = self.sender.keys
        return ScriptCall(
            RECOVER,
            keys={"fence_key": self.sender.fence_key},
            touches=keys.touched,
            args={
                "base": keys.base,
                "sequence": self.sequence,
                "fence_ttl_ms": FENCE_TTL_MS,
                "token": self.sender.token(self.sequence),
                "packed": msgspec.msgpack.encode(self.leases),
            },
        )

    def decode(self, reply: Reply) -> Recovered:
        match reply:
            case [int(status), [*flat], [*unsettled]] if status == _RECOVERED:
                token = self.sender.token(self.sequence)
                return Recovered(
                    taken_from(RECOVER, flat, token), frozenset(texts(RECOVER, unsettled))
                )
            case _:
                raise UnexpectedReplyError(RECOVER.name, reply)
