"""Take jobs for one worker; a part of an exchange, or all of it when nothing is to be settled."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, Final, Literal

import msgspec

from toril.bullmq.operations.replies import fields, texts
from toril.bullmq.operations.sender import FENCED, Fenced, Sender
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.reply_shape import shaped
from toril.core.script import Script

CLAIM: Final = Script("toril.bullmq.operations", "claim/claim")


class ClaimTerms(msgspec.Struct, frozen=True, kw_only=True):
    """On what terms jobs are taken: up to `max_bytes` of them at once, locked for `lock_ms`.

    A worker may have a rate limit of its own; one that has none may heed a limit by hand. One that
    keeps metrics keeps `metrics_size` minutes of them.
    """

    max_bytes: int
    lock_ms: int
    worker_name: str = ""
    rate_max: int = 0
    rate_duration_ms: int = 0
    heeds_limit: bool = False
    metrics_size: int = 0

    def touches(self, keys: QueueKeys) -> tuple[str, ...]:
        """The keys that scripts work out which store ends and claim on these terms."""
        return (*keys.touched, *keys.all_metrics) if self.metrics_size else keys.touched

    def pack(self, want: int, token: str) -> bytes:
        """A claim as the scripts read it."""
        # A number would be spelt out anew for each lock.
        lock_ms = str(self.lock_ms)
        return _pack(
            _PackedClaim(
                token,
                want,
                self.max_bytes,
                lock_ms,
                self.worker_name,
                self.rate_max,
                self.rate_duration_ms,
                self.heeds_limit,
                self.metrics_size,
            )
        )


class _PackedClaim(msgspec.Struct, omit_defaults=True):
    token: str
    want: int
    max_bytes: int
    lock_ms: str
    worker_name: str
    rate_max: int = 0
    rate_duration_ms: int = 0
    heeds_limit: bool = False
    metrics_size: int = 0


_pack: Final = msgspec.msgpack.Encoder().encode


class Taken(msgspec.Struct, frozen=True):
    """A job as it is stored, and the token that opens its lock."""

    id: str
    token: str
    fields: dict[bytes, bytes]


class Claims(msgspec.Struct, frozen=True):
    """What a claim brought. `next_in_ms` is None when the queue knows of nothing to come."""

    now_ms: int
    next_in_ms: int | None
    ghosts: Sequence[str]
    taken: Sequence[Taken]


class Brought(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """What `take_jobs` answers."""

    next_in_ms: int
    ghosts: list[bytes]
    flat: list[bytes | list[bytes]]


class _Claimed(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    status: Literal[1]
    now_ms: int
    brought: Brought


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """Take up to `want` jobs; never wait. With 0, due delayed jobs are made ready all the same."""

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    sender: Sender
    sequence: int
    want: int
    terms: ClaimTerms
    clock_ms: int = 0

    def call(self) -> ScriptCall:
        return ScriptCall(
            CLAIM,
            keys={"fence_key": self.sender.fence_key},
            touches=self.sender.keys.touched,
            args={
                "base": self.sender.keys.base,
                "sequence": self.sequence,
                "packed": self.terms.pack(self.want, self.sender.token(self.sequence)),
                "clock_ms": self.clock_ms,
            },
        )

    def decode(self, reply: Reply) -> Claims | Fenced:
        if reply == FENCED:
            return Fenced()
        claimed = shaped(CLAIM, reply, _Claimed)
        token = self.sender.token(self.sequence)
        return claims_of(CLAIM, claimed.now_ms, claimed.brought, token, self.terms.worker_name)


def claims_of(
    script: Script, now_ms: int, brought: Brought, token: str, worker_name: str
) -> Claims:
    """Read what `take_jobs` answered, in a reply of this script.

    It has read the jobs before it started them: what that has stored is added here.
    """
    taken = taken_from(script, brought.flat, token)
    started = {b"processedOn": b"%d" % now_ms}
    if worker_name:
        started[b"pb"] = worker_name.encode()
    for job in taken:
        job.fields.update(started)
        job.fields[b"ats"] = b"%d" % (_starts(job.fields) + 1)
    next_in_ms = None if brought.next_in_ms < 0 else brought.next_in_ms
    return Claims(now_ms, next_in_ms, texts(script, brought.ghosts), taken)


def _starts(stored: Mapping[bytes, bytes]) -> int:
    try:
        return int(stored.get(b"ats", b"0"))
    except ValueError:
        return 0


def taken_from(script: Script, flat: Sequence[object], token: str) -> list[Taken]:
    """Read a flat list of ids and hashes."""
    ids = texts(script, flat[::2])
    hashes = flat[1::2]
    if len(ids) != len(hashes):
        raise UnexpectedReplyError(script.name, flat)
    return [
        Taken(job_id, token, fields(script, packed))
        for job_id, packed in zip(ids, hashes, strict=True)
    ]
