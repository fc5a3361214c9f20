"""Add a batch of jobs in one call: all of them, once, whatever becomes of the reply."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

import msgspec

from toril.bullmq.operations.replies import numbers, texts
from toril.bullmq.wire.keys import QueueKeys
from toril.bullmq.wire.options import DeduplicationRule
from toril.core.errors import UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

ADD_JOBS: Final = Script("toril.bullmq.operations", "add/add_jobs")

RECEIPT_TTL_MS: Final = 600_000
"""Longer than a producer asks again for, and than a request can be on its way."""

_ANSWERED: Final = 1


class Once(msgspec.Struct, frozen=True):
    """What makes two adds the same one, and for how long that is remembered."""

    key: str
    ttl_ms: int


class NewJob(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A job that is ready to be sent: checked, and encoded where the wire wants JSON.

    The JSON is text, as the servers' msgpack does not know bytes. What is as usual is not sent.
    """

    id: str
    name: str
    data: str
    opts: str
    delay_ms: int = 0
    priority: int = 0
    lifo: bool = False
    timestamp: int = 0
    once: Once | None = None
    deduplication: DeduplicationRule | None = None


class Added(msgspec.Struct, frozen=True, gc=False):
    """Where a job is now; `created` is False when an earlier one stands for it."""

    id: str
    timestamp: int
    created: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class AddJobs:
    """Add these jobs in order; sent again, it answers as the first time."""

    repeat: ClassVar[Repeat] = Repeat.SAME_TOKEN

    keys: QueueKeys
    producer: str
    sequence: int
    jobs: Sequence[NewJob]
    clock_ms: int = 0

    def call(self) -> ScriptCall:
        return ScriptCall(
            ADD_JOBS,
            keys={"receipt_key": self.keys.own(f"receipt:{self.producer}")},
            touches=(*self.keys.touched, *self._touched_by_jobs()),
            args={
                "base": self.keys.base,
                "own_base": self.keys.own(""),
                "sequence": self.sequence,
                "receipt_ttl_ms": RECEIPT_TTL_MS,
                "packed": msgspec.msgpack.encode(self.jobs),
                "clock_ms": self.clock_ms,
            },
        )

    def _touched_by_jobs(self) -> Iterator[str]:
        for job in self.jobs:
            if job.once:
                yield self.keys.own(f"once:{job.once.key}")
            if job.deduplication:
                yield self.keys.deduplication(job.deduplication.id)
                yield self.keys.kept_job(job.deduplication.id)

    def decode(self, reply: Reply) -> list[Added]:
        match reply:
            case [int(status), [int(now_ms), [*ids], [*places]]] if status == _ANSWERED and len(
                ids
            ) == len(self.jobs):
                stood_for = set(numbers(ADD_JOBS, places))
                return [
                    Added(job_id, job.timestamp or now_ms, place not in stood_for)
                    for place, (job, job_id) in enumerate(
                        zip(self.jobs, texts(ADD_JOBS, ids), strict=True), start=1
                    )
                ]
            case _:
                raise UnexpectedReplyError(ADD_JOBS.name, reply)
