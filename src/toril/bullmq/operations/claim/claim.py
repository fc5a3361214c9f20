"""Take jobs for one worker; the other half of an exchange, after `settle`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.replies import fields, texts
from toril.bullmq.operations.sender import Fenced, Sender
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

CLAIM: Final = Script("toril.bullmq.operations", "claim/claim")

_FENCED: Final = 0
_CLAIMED: Final = 1


@dataclass(frozen=True, slots=True)
class Taken:
    """A job as it is stored, and the token that opens its lock."""

    id: str
    token: str
    fields: dict[bytes, bytes]


@dataclass(frozen=True, slots=True)
class Claims:
    """What a claim brought. `next_in_ms` is None when the queue knows of nothing to come."""

    now_ms: int
    next_in_ms: int | None
    ghosts: Sequence[str]
    taken: Sequence[Taken]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Take up to `want` jobs; never wait."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    sender: Sender
    sequence: int
    want: int
    max_bytes: int
    lock_ms: int
    worker_name: str = ""
    clock_ms: int = 0

    def call(self) -> ScriptCall:
        return ScriptCall(
            CLAIM,
            keys={"fence_key": self.sender.fence_key},
            touches=self.sender.keys.touched,
            args={
                "base": self.sender.keys.base,
                "token": self.sender.token(self.sequence),
                "sequence": self.sequence,
                "want": self.want,
                "max_bytes": self.max_bytes,
                "lock_ms": self.lock_ms,
                "worker_name": self.worker_name,
                "clock_ms": self.clock_ms,
            },
        )

    def decode(self, reply: Reply) -> Claims | Fenced:
        match reply:
            case [int(status), int(now_ms), int(next_in_ms), [*ghosts], [*flat]] if (
                status == _CLAIMED
            ):
                return Claims(
                    now_ms,
                    None if next_in_ms < 0 else next_in_ms,
                    texts(CLAIM, ghosts),
                    taken_from(flat, self.sender.token(self.sequence)),
                )
            case [int(status)] if status == _FENCED:
                return Fenced()
            case _:
                raise UnexpectedReplyError(CLAIM.name, reply)


def taken_from(flat: Sequence[object], token: str) -> list[Taken]:
    """Read a flat list of ids and hashes."""
    if len(flat) % 2:
        raise UnexpectedReplyError(CLAIM.name, flat)
    ids = texts(CLAIM, flat[::2])
    hashes = [fields(CLAIM, packed) for packed in flat[1::2]]
    return [Taken(job_id, token, found) for job_id, found in zip(ids, hashes, strict=True)]
