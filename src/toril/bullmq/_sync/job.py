"""A job, and what can be done with one that is at hand."""  # generated from _async/job.py by tools/generate_sync.py: edit that file

from typing import Any

from msgspec import structs

from toril.bullmq._sync.job_verbs import MOST_ROWS, JobVerbs
from toril.bullmq._sync.store import Store
from toril.bullmq.job_view import JobView
from toril.bullmq.operations.inspect.finish_state import Completed
from toril.bullmq.operations.inspect.read_logs import LogPage
from toril.bullmq.operations.move.cancel_job import Cancellation
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.wire.state import JobState
from toril.connection import Connection
from toril.core.codec import decode
from toril.core.durations import Duration, to_ms
from toril.core.errors import JobFailedError
from toril.runtime import StopSignal


class Job(JobView):
    """A job of an `Queue`, or the one that a handler works on."""

    __slots__ = ("_store",)

    def __init__(
        self,
        record: JobRecord,
        store: Store,
        *,
        created: bool = True,
        signal: StopSignal | None = None,
    ) -> None:
        super().__init__(record, created=created, signal=signal)
        self._store = store

    @property
    def connection(self) -> Connection:
        """The connection of the queue or the worker, for a lock or a cache that the job needs."""
        return self._store.connection

    def set_progress(self, progress: object) -> None:
        """Store how far the job has come, a number from 0 to 100 or any JSON, and tell listeners.

        Raises:
            BadInputError: it is no JSON, or too large; nothing was sent.
            JobNotFoundError: the job was removed.
        """
        self._verbs.set_progress(self.id, progress)

    def log(self, row: str) -> int:
        """Add a row to the job's log, of which the newest 1,000 are kept; how many there are.

        The job's own `keep_logs` keeps fewer of them.

        Raises:
            BadInputError: the row is too large; nothing was sent.
            JobNotFoundError: the job was removed.
            OutcomeUnknownError: the reply was lost; the row may be there.
        """
        limit = self.record.options.keep_logs
        return self._verbs.log(self.id, row, keep=min(limit or MOST_ROWS, MOST_ROWS))

    def result(self, timeout: Duration | None = None) -> Any:  # noqa: ANN401, ASYNC109
        """Wait for the job to end, here or in a worker anywhere, and return its result.

        A job that is removed as soon as it completes can only be waited for from before its end.

        Raises:
            JobFailedError: it failed for good; carries the reason.
            JobNotFoundError: there is no such job (any more).
            ResultTimeoutError: it has not ended in time; it goes on all the same.
        """
        timeout_ms = None if timeout is None else to_ms(timeout, "timeout")
        end = self._store.finishes.wait_for(self.id, timeout_ms)
        if isinstance(end, Completed):
            return decode(end.return_value, field="returnvalue")
        raise JobFailedError(self.id, end.reason)

    def logs(
        self, *, start: int = 0, limit: int = 100, newest_first: bool = False
    ) -> LogPage:
        """Up to `limit` rows of the job's log: `queue.jobs.logs`."""
        return self._verbs.logs(self.id, start=start, limit=limit, newest_first=newest_first)

    def clear_logs(self, *, keep: int = 0) -> None:
        """Forget the job's log, but for the newest `keep` rows: `queue.jobs.clear_logs`."""
        self._verbs.clear_logs(self.id, keep=keep)

    def update_data(self, data: object) -> None:
        """Give the job other data, here as well: `queue.jobs.update_data`."""
        self._verbs.update_data(self.id, data)
        self._record = structs.replace(self._record, data=data)

    def state(self) -> JobState | None:
        """Where the job is now; None when it is gone."""
        return self._verbs.state(self.id)

    def promote(self) -> None:
        """Make the delayed job ready now: `queue.jobs.promote`."""
        self._verbs.promote(self.id)

    def change_delay(self, delay: Duration) -> None:
        """Let the delayed job wait for as long from now: `queue.jobs.change_delay`."""
        self._verbs.change_delay(self.id, delay)

    def change_priority(self, priority: int, *, lifo: bool = False) -> None:
        """Give the job another priority: `queue.jobs.change_priority`."""
        self._verbs.change_priority(self.id, priority, lifo=lifo)

    def retry(self, *, reset_attempts: bool = False) -> None:
        """Run the finished job again: `queue.jobs.retry`."""
        self._verbs.retry(self.id, reset_attempts=reset_attempts)

    def remove(self, *, children: bool = True) -> bool:
        """Remove the job, which no worker may have: `queue.jobs.remove`."""
        return self._verbs.remove(self.id, children=children)

    def remove_pending_children(self) -> int:
        """Remove the children it waits for: `queue.jobs.remove_pending_children`."""
        return self._verbs.remove_pending_children(self.id)

    def leave_parent(self) -> bool:
        """Make the job nobody's child: `queue.jobs.leave_parent`."""
        return self._verbs.leave_parent(self.id)

    def cancel(self) -> Cancellation:
        """See to it that the job is not run, or no further: `queue.jobs.cancel`."""
        return self._verbs.cancel(self.id)

    @property
    def _verbs(self) -> JobVerbs:
        return JobVerbs(self._store)
