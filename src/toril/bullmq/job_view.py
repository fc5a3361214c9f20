"""What can be read of a job without asking the server: the same for both colours."""

from datetime import UTC, datetime
from typing import Any

from toril.bullmq.wire.job import JobRecord
from toril.runtime import StopReason, StopSignal


class JobView:
    """A job as it was when it was added, claimed or fetched."""

    __slots__ = ("_record", "_signal", "created")

    def __init__(
        self, record: JobRecord, *, created: bool = True, signal: StopSignal | None = None
    ) -> None:
        self._record = record
        self._signal = signal
        self.created = created
        """False when `add` made no job, as the one with this id stands for it."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.name!r}>"

    @property
    def id(self) -> str:
        """Unique in its queue."""
        return self._record.id

    @property
    def name(self) -> str:
        """What kind of job it is."""
        return self._record.name

    @property
    def data(self) -> Any:  # noqa: ANN401 - JSON of any shape: only the handler knows which
        """What the producer gave it."""
        return self._record.data

    @property
    def problem(self) -> str | None:
        """Why its data or its options cannot be read, in a list of jobs; None for all others."""
        return self._record.problem

    @property
    def attempts_made(self) -> int:
        """How many attempts have ended; 0 during the first."""
        return self._record.attempts_made

    @property
    def stopping(self) -> StopReason | None:
        """Why the handler that was given this job is to stop; None as long as it may go on.

        A coroutine is cancelled as well; a plain function has to look: `while not job.stopping`.
        """
        return self._signal.stop if self._signal else None

    @property
    def created_at(self) -> datetime:
        """When it was added."""
        return datetime.fromtimestamp(self._record.timestamp / 1000, UTC)

    @property
    def record(self) -> JobRecord:
        """Everything that is stored of it."""
        return self._record
