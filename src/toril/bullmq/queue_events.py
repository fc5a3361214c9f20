"""What is told of a queue, whoever did it: one class for every event, a public contract.

Their order and place come from the queue's stream; `at` is the time of its server.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

BEGINNING: Final = "0-0"
"""What comes before every event: as `after`, it asks for all that the queue still keeps."""

_LATEST_MS: Final = 253_402_300_799_999


class QueueEvent(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened to a queue."""

    id: str
    """Its place in the stream: pass it as `after` to go on behind it."""

    @property
    def at(self) -> datetime:
        """When it was stored."""
        return datetime.fromtimestamp(min(int(self.id.partition("-")[0]), _LATEST_MS) / 1000, UTC)


class QueueJobEvent(QueueEvent, frozen=True, kw_only=True):
    """Something that happened to one job. `previous` is the state that it left, where told."""

    job_id: str


class AddedEvent(QueueJobEvent, frozen=True, kw_only=True):
    """The job is stored; where it went is told by the next event about it."""

    name: str


class WaitingEvent(QueueJobEvent, frozen=True, kw_only=True):
    """The job is ready to run: new, due, put back, retried or promoted."""

    previous: str | None = None


class DelayedEvent(QueueJobEvent, frozen=True, kw_only=True):
    """The job waits for its time."""

    until: datetime


class WaitingChildrenEvent(QueueJobEvent, frozen=True, kw_only=True):
    """The job waits for its children."""

    previous: str | None = None


class ActiveEvent(QueueJobEvent, frozen=True, kw_only=True):
    """A worker has the job."""

    previous: str | None = None


class ProgressEvent(QueueJobEvent, frozen=True, kw_only=True):
    """The handler told how far it has come."""

    progress: Any


class CompletedEvent(QueueJobEvent, frozen=True, kw_only=True):
    """The job ended well."""

    result: Any = None
    previous: str | None = None


class FailedEvent(QueueJobEvent, frozen=True, kw_only=True):
    """The job failed for good. An attempt that is followed by another is told as its next state."""

    reason: str = ""
    previous: str | None = None


class RetriesExhaustedEvent(QueueJobEvent, frozen=True, kw_only=True):
    """The job failed, and all its attempts are used up; comes behind `FailedEvent`."""

    attempts_made: int


class StalledEvent(QueueJobEvent, frozen=True, kw_only=True):
    """The job's worker is gone; it was put back."""


class RemovedEvent(QueueJobEvent, frozen=True, kw_only=True):
    """The job was removed by hand or replaced by another; one that ends is not told of here."""

    previous: str | None = None


class DuplicatedEvent(QueueJobEvent, frozen=True, kw_only=True):
    """A job with an id that exists was not added."""


class DeduplicatedEvent(QueueJobEvent, frozen=True, kw_only=True):
    """Of two jobs with one deduplication id only one is there.

    Usually `job_id` is the one that stays, and `other_job_id` the one that was not added; where
    a newer job replaces a delayed one it is the other way round.
    """

    deduplication_id: str
    other_job_id: str | None = None


class DebouncedEvent(QueueJobEvent, frozen=True, kw_only=True):
    """The same as `DeduplicatedEvent`, in the words of older versions; it comes before that."""

    deduplication_id: str


class DrainedEvent(QueueEvent, frozen=True, kw_only=True):
    """No job is left that is ready or runs."""


class CleanedEvent(QueueEvent, frozen=True, kw_only=True):
    """Old jobs were removed."""

    count: int


class PausedEvent(QueueEvent, frozen=True, kw_only=True):
    """No job starts from now on."""


class ResumedEvent(QueueEvent, frozen=True, kw_only=True):
    """Jobs may start again."""


class OtherEvent(QueueEvent, frozen=True, kw_only=True):
    """An event that toril does not know: somebody's own, or one of a newer version."""

    name: str
    fields: Mapping[str, str]


class EventsMissed(QueueEvent, frozen=True, kw_only=True):
    """The queue kept no events from behind `id` up to `until`: some may be missing here.

    That happens to a reader that is slower than the queue's stream is long, or that was away.
    Whoever keeps a picture of the queue should look at it again.
    """

    until: str
