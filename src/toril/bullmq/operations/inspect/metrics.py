"""How many jobs completed or failed, minute by minute."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import ClassVar, Final

from toril.bullmq.operations.replies import raws
from toril.bullmq.wire.job import LATEST_MS
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

METRICS: Final = Script("toril.bullmq.operations", "inspect/metrics")

_READ: Final = 1


@dataclass(frozen=True, slots=True)
class Throughput:
    """What the workers that keep metrics have counted; all of it is 0 and empty when none does."""

    total: int
    """All jobs that ended in this way since somebody began to count."""

    per_minute: Sequence[int]
    """How many there were in each closed minute that was asked for, the newest first.

    A minute is closed by the first job that ends after it, so the newest may be long ago.
    """

    minutes: int
    """How many closed minutes are kept."""

    open_since: datetime | None
    """When the newest minute was closed; None before the first job."""

    open_count: int
    """How many there were since then."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMetrics:
    """Read the minutes from `first` to `last`; 0 is the newest, and -1 the oldest."""

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys
    kind: str
    first: int
    last: int

    def call(self) -> ScriptCall:
        keys, kind = self.keys, self.kind
        return ScriptCall(
            METRICS,
            keys={"metrics_key": keys.metrics(kind), "data_key": keys.metrics_data(kind)},
            args={"first": self.first, "last": self.last},
        )

    def decode(self, reply: Reply) -> Throughput:
        match reply:
            case [int(status), total, closed_at, closed_total, int(minutes), [*data]] if (
                status == _READ
            ):
                return Throughput(
                    total=_number(total),
                    per_minute=[_number(count) for count in raws(METRICS, data)],
                    minutes=minutes,
                    open_since=_moment(closed_at),
                    open_count=max(_number(total) - _number(closed_total), 0),
                )
            case _:
                raise UnexpectedReplyError(METRICS.name, reply)


def _number(raw: object) -> int:
    """What a script would read there; nonsense counts nothing."""
    try:
        return int(raw) if isinstance(raw, bytes) else 0
    except ValueError:
        return 0


def _moment(raw: object) -> datetime | None:
    moment_ms = _number(raw)
    return datetime.fromtimestamp(moment_ms / 1000, UTC) if 0 < moment_ms <= LATEST_MS else None
