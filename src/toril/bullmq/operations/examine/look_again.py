"""Look again, in one instant, at what seemed wrong while it was read key by key."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.doctor.layout import SHALLOW
from toril.bullmq.doctor.rows import key_of, names_key
from toril.bullmq.doctor.snapshot import Key, Snapshot
from toril.bullmq.operations.replies import raws
from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.wire.netstrings import netstrings, to_text
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

LOOK_AGAIN: Final = Script("toril.bullmq.operations", "examine/look_again")

_LOOKED: Final = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class LookAgain:
    """These jobs and keys, with the settings and the one job that each state begins with.

    Every other job is left out of the picture: what a law says of those means nothing.
    """

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys
    subjects: Sequence[str]

    def call(self) -> ScriptCall:
        return ScriptCall(
            LOOK_AGAIN,
            keys={"meta_key": self.keys.meta},
            args={"base": self.keys.base, "subjects": netstrings(self.subjects)},
        )

    def decode(self, reply: Reply) -> Snapshot:
        match reply:
            case [int(status), int(now_ms), [*rows], [*holders]] if status == _LOOKED:
                held = {name: key for name, key in map(_holder, holders) if key.content}
                named = dict(map(_row, rows)) | held
                return Snapshot(now_ms, {self.keys.base + name: named[name] for name in named})
            case _:
                raise UnexpectedReplyError(LOOK_AGAIN.name, reply)


def _row(row: object) -> tuple[str, Key]:
    match row:
        case [bytes(raw_name), bytes(kind), int(ttl_ms), [*content]]:
            name = to_text(raw_name)
            read = names_key if name.rpartition(":")[2] in SHALLOW else key_of
            return name, read(kind, ttl_ms, raws(LOOK_AGAIN, content))
        case _:
            raise UnexpectedReplyError(LOOK_AGAIN.name, row)


def _holder(row: object) -> tuple[str, Key]:
    match row:
        case [bytes(name), bytes(kind), int(ttl_ms), [*held]]:
            members = [part for member in _members(held) for part in _parts(kind, *member)]
            return to_text(name), key_of(kind, ttl_ms, members)
        case _:
            raise UnexpectedReplyError(LOOK_AGAIN.name, row)


def _members(held: Sequence[object]) -> Iterator[tuple[bytes, int, bytes]]:
    for member in zip(held[::3], held[1::3], held[2::3], strict=True):
        match member:
            case (bytes(job_id), int(times), bytes(score)):
                yield job_id, times, score
            case _:
                raise UnexpectedReplyError(LOOK_AGAIN.name, member)


def _parts(kind: bytes, job_id: bytes, times: int, score: bytes) -> Sequence[bytes]:
    return (job_id, score) if kind == b"zset" else (job_id,) * times
