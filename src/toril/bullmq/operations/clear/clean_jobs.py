"""Remove the old jobs of one state."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from toril.bullmq.operations.replies import texts
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

CLEAN_JOBS: Final = Script("toril.bullmq.operations", "clear/clean_jobs")

_CLEANED: Final = 1


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What one request removed, how many it looked at and kept, and whether that was all."""

    ids: Sequence[str]
    kept: int
    is_last: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanJobs:
    """Up to `count` jobs of the state at `place`, after the `skip` ones known to stay.

    Sent again, it would remove others, and nobody would learn the ids of the first ones.
    """

    repeat: ClassVar[Repeat] = Repeat.COUNTS

    keys: QueueKeys
    place: str
    grace_ms: int
    count: int
    skip: int = 0
    clock_ms: int = 0

    def call(self) -> ScriptCall:
        keys = self.keys
        return ScriptCall(
            CLEAN_JOBS,
            keys={"place_key": keys.base + self.place},
            touches=(*keys.touched, keys.waiting_children),
            args={
                "base": keys.base,
                "place": self.place,
                "grace_ms": self.grace_ms,
                "skip": self.skip,
                "count": self.count,
                "clock_ms": self.clock_ms,
            },
        )

    def decode(self, reply: Reply) -> Cleaned:
        match reply:
            case [int(status), int(is_last), int(kept), [*ids]] if status == _CLEANED:
                return Cleaned(texts(CLEAN_JOBS, ids), kept, is_last == 1)
            case _:
                raise UnexpectedReplyError(CLEAN_JOBS.name, reply)
