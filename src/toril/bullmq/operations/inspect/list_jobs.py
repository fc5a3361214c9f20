"""Read a page of the jobs in some states."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, NamedTuple

import msgspec

from toril.bullmq.operations.replies import fields
from toril.bullmq.wire.job import JobRecord, read_job, unreadable_job
from toril.bullmq.wire.keys import QueueKeys
from toril.core.errors import UndecodableError, UnexpectedReplyError
from toril.core.operation import Repeat, Reply, ScriptCall
from toril.core.script import Script

LIST_JOBS: Final = Script("toril.bullmq.operations", "inspect/list_jobs")

MAX_BYTES: Final = 4 * 2**20
"""Of job hashes in one reply, so that the server stays quick."""

_READ: Final = 1


class Place(NamedTuple):
    """The last part of a key that holds ids of jobs, and whether to begin at its other end."""

    name: str
    is_turned: bool


class JobPage(NamedTuple):
    """Some jobs, maybe fewer than asked for; `next_start` is where to go on, None at the end."""

    jobs: Sequence[JobRecord]
    next_start: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ListJobs:
    """Look at `limit` ids from `start` on, counted through all places in their order.

    A job that cannot be read is told as such (`problem`), an id without a job is left out.
    """

    repeat: ClassVar[Repeat] = Repeat.READS

    keys: QueueKeys
    places: Sequence[Place]
    start: int
    limit: int
    max_bytes: int = MAX_BYTES

    def call(self) -> ScriptCall:
        keys = self.keys
        query = {
            "places": self.places,
            "start": self.start,
            "limit": self.limit,
            "max_bytes": self.max_bytes,
        }
        return ScriptCall(
            LIST_JOBS,
            keys={"wait_key": keys.wait},
            args={"base": keys.base, "packed": msgspec.msgpack.encode(query)},
            touches=(*keys.states, keys.waiting_children),
        )

    def decode(self, reply: Reply) -> JobPage:
        match reply:
            case [int(status), int(after), [*flat]] if status == _READ and not len(flat) % 2:
                jobs = [_job(*pair) for pair in zip(flat[::2], flat[1::2], strict=True)]
                return JobPage(jobs, None if after < 0 else after)
            case _:
                raise UnexpectedReplyError(LIST_JOBS.name, reply)


def _job(raw_id: object, flat: object) -> JobRecord:
    if not isinstance(raw_id, bytes):
        raise UnexpectedReplyError(LIST_JOBS.name, raw_id)
    job_id, stored = raw_id.decode("utf-8", "replace"), fields(LIST_JOBS, flat)
    try:
        return read_job(job_id, stored)
    except UndecodableError as error:
        return unreadable_job(job_id, stored, str(error))
