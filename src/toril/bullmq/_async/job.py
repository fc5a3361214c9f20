"""A job, and what can be done with one that is at hand."""

from typing import Any

from msgspec import structs

from toril.bullmq._async.job_verbs import MOST_ROWS, AsyncJobVerbs
from toril.bullmq._async.store import AsyncStore
from toril.bullmq.job_view import JobView
from toril.bullmq.operations.inspect.finish_state import Completed
from toril.bullmq.operations.inspect.read_logs import LogPage
from toril.bullmq.operations.move.cancel_job import Cancellation
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.wire.state import JobState
from toril.connection import AsyncConnection
from toril.core.codec import decode
from toril.core.durations import Duration, to_ms
from toril.core.errors import JobFailedError
from toril.runtime import StopSignal


class AsyncJob(JobView):
    """A job of an `AsyncQueue`, or the one that a handler works on."""

    __slots__ = ("_store",)

    def __init__(
        self,
        record: JobRecord,
        store: AsyncStore,
        *,
        created: bool = True,
        signal: StopSignal | None = None,
    ) -> None:
        super().__init__(record, created=created, signal=signal)
        self._store = store

    @property
    def connection(self) -> AsyncConnection:
        """The connection of the queue or the worker, for a lock or a cache that the job needs."""
        return self._store.connection

    async def set_progress(self, progress: object) -> None:
        """Store how far the job has come, a number from 0 to 100 or any JSON, and tell listeners.

        Raises:
            BadInputError: it is no JSON, or too large; nothing was sent.
            JobNotFoundError: the job was removed.
        """
        await self._verbs.set_progress(self.id, progress)

    async def log(self, row: str) -> int:
        """Add a row to the job's log, of which the newest 1,000 are kept; how many there are.

        The job's own `keep_logs` keeps fewer of them.

        Raises:
            BadInputError: the row is too large; nothing was sent.
            JobNotFoundError: the job was removed.
            OutcomeUnknownError: the reply was lost; the row may be there.
        """
        limit = self.record.options.keep_logs
        return await self._verbs.log(self.id, row, keep=min(limit or MOST_ROWS, MOST_ROWS))

    async def result(self, timeout: Duration | None = None) -> Any:  # noqa: ANN401, ASYNC109
        """Wait for the job to end, here or in a worker anywhere, and return its result.

        A job that is removed as soon as it completes can only be waited for from before its end.

        Raises:
            JobFailedError: it failed for good; carries the reason.
            JobNotFoundError: there is no such job (any more).
            ResultTimeoutError: it has not ended in time; it goes on all the same.
        """
        timeout_ms = None if timeout is None else to_ms(timeout, "timeout")
        end = await self._store.finishes.wait_for(self.id, timeout_ms)
        if isinstance(end, Completed):
            return decode(end.return_value, field="returnvalue")
        raise JobFailedError(self.id, end.reason)

    async def logs(
        self, *, start: int = 0, limit: int = 100, newest_first: bool = False
    ) -> LogPage:
        """Up to `limit` rows of the job's log: `queue.jobs.logs`."""
        return await self._verbs.logs(self.id, start=start, limit=limit, newest_first=newest_first)

    async def clear_logs(self, *, keep: int = 0) -> None:
        """Forget the job's log, but for the newest `keep` rows: `queue.jobs.clear_logs`."""
        await self._verbs.clear_logs(self.id, keep=keep)

    async def update_data(self, data: object) -> None:
        """Give the job other data, here as well: `queue.jobs.update_data`."""
        await self._verbs.update_data(self.id, data)
        self._record = structs.replace(self._record, data=data)

    async def state(self) -> JobState | None:
        """Where the job is now; None when it is gone."""
        return await self._verbs.state(self.id)

    async def promote(self) -> None:
        """Make the delayed job ready now: `queue.jobs.promote`."""
        await self._verbs.promote(self.id)

    async def change_delay(self, delay: Duration) -> None:
        """Let the delayed job wait for as long from now: `queue.jobs.change_delay`."""
        await self._verbs.change_delay(self.id, delay)

    async def change_priority(self, priority: int, *, lifo: bool = False) -> None:
        """Give the job another priority: `queue.jobs.change_priority`."""
        await self._verbs.change_priority(self.id, priority, lifo=lifo)

    async def retry(self, *, reset_attempts: bool = False) -> None:
        """Run the finished job again: `queue.jobs.retry`."""
        await self._verbs.retry(self.id, reset_attempts=reset_attempts)

    async def remove(self, *, children: bool = True) -> bool:
        """Remove the job, which no worker may have: `queue.jobs.remove`."""
        return await self._verbs.remove(self.id, children=children)

    async def remove_pending_children(self) -> int:
        """Remove the children it waits for: `queue.jobs.remove_pending_children`."""
        return await self._verbs.remove_pending_children(self.id)

    async def leave_parent(self) -> bool:
        """Make the job nobody's child: `queue.jobs.leave_parent`."""
        return await self._verbs.leave_parent(self.id)

    async def cancel(self) -> Cancellation:
        """See to it that the job is not run, or no further: `queue.jobs.cancel`."""
        return await self._verbs.cancel(self.id)

    @property
    def _verbs(self) -> AsyncJobVerbs:
        return AsyncJobVerbs(self._store)
