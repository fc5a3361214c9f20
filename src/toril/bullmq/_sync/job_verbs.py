"""What can be done with one job by its id: the one place that queues and jobs have it from."""  # generated from _async/job_verbs.py by tools/generate_sync.py: edit that file

from typing import Final, TypeVar

from toril.bullmq._sync.store import Store
from toril.bullmq.job_checks import check_new_delay, check_priority, check_progress, check_row
from toril.bullmq.keep import MOST_KEPT
from toril.bullmq.operations.inspect.job_state import GetJobState
from toril.bullmq.operations.inspect.read_logs import LogPage, ReadLogs
from toril.bullmq.operations.maintain.add_log import AddLog
from toril.bullmq.operations.maintain.clear_logs import ClearLogs
from toril.bullmq.operations.maintain.set_progress import SetProgress
from toril.bullmq.operations.maintain.update_data import UpdateData
from toril.bullmq.operations.move.cancel_job import CancelJob, Cancellation
from toril.bullmq.operations.move.change_delay import ChangeDelay
from toril.bullmq.operations.move.change_priority import ChangePriority
from toril.bullmq.operations.move.leave_parent import LeaveParent
from toril.bullmq.operations.move.promote_job import PromoteJob
from toril.bullmq.operations.move.refusal import Refused
from toril.bullmq.operations.move.remove_job import Locked, Removed, RemoveJob, Scheduled
from toril.bullmq.operations.move.remove_pending_children import RemovePendingChildren
from toril.bullmq.operations.move.retry_job import RetryJob
from toril.bullmq.wire.state import JobState
from toril.core.checks import check_truth, check_whole
from toril.core.codec import check_size, encode
from toril.core.durations import Duration
from toril.core.errors import (
    ConflictError,
    JobLockedError,
    JobNotFoundError,
    JobStateError,
    ScheduledJobError,
    TorilError,
)
from toril.core.ids import check_known_job_id
from toril.core.operation import Operation

R = TypeVar("R")

MOST_ROWS: Final = 1_000
"""Of a log: older ones go."""

_MOST_ROWS_READ: Final = 10_000
"""Of a log in one reply; a Node job may have any number."""


class JobVerbs:
    """Each verb takes the id of a job, whoever has it and wherever it is."""

    def __init__(self, store: Store) -> None:
        self._store: Final = store

    def state(self, job_id: str) -> JobState | None:
        """Where the job is now, or None when there is none with this id."""
        check_known_job_id(job_id)
        self._store.make_sure()
        return self._store.runner.run(GetJobState(keys=self._store.keys, job_id=job_id))

    def set_progress(self, job_id: str, progress: object) -> None:
        """Store how far a job has come, a number from 0 to 100 or any JSON, and tell listeners.

        Raises:
            BadInputError: it is no JSON, or too large; nothing was sent.
            JobNotFoundError: there is no such job.
        """
        check_known_job_id(job_id)
        text = check_progress(progress)
        self._change(SetProgress(keys=self._store.keys, job_id=job_id, progress=text), job_id)

    def log(self, job_id: str, row: str, *, keep: int = MOST_ROWS) -> int:
        """Add a row to a job's log, and keep the newest of them; how many there are.

        Raises:
            BadInputError: the row is too large; nothing was sent.
            JobNotFoundError: there is no such job.
            OutcomeUnknownError: the reply was lost; the row may be there.
        """
        check_known_job_id(job_id)
        text = check_row(row)
        keep = check_whole(keep, "keep", 1, MOST_ROWS)
        operation = AddLog(keys=self._store.keys, job_id=job_id, row=text, keep=keep)
        return self._found(operation, job_id)

    def logs(
        self, job_id: str, *, start: int = 0, limit: int = 100, newest_first: bool = False
    ) -> LogPage:
        """Up to `limit` rows of the job's log, from the oldest on or back from the newest.

        Raises:
            JobNotFoundError: there is no such job.
        """
        operation = ReadLogs(
            keys=self._store.keys,
            job_id=check_known_job_id(job_id),
            start=check_whole(start, "start", 0, MOST_KEPT),
            limit=check_whole(limit, "limit", 1, _MOST_ROWS_READ),
            newest_first=check_truth(newest_first, "newest_first"),
        )
        return self._found(operation, job_id)

    def clear_logs(self, job_id: str, *, keep: int = 0) -> None:
        """Forget the job's log, but for the newest `keep` rows.

        Raises:
            JobNotFoundError: there is no such job.
            OutcomeUnknownError: the reply was lost; it may have been done.
        """
        check_known_job_id(job_id)
        keep = check_whole(keep, "keep", 0, MOST_KEPT)
        self._change(ClearLogs(keys=self._store.keys, job_id=job_id, keep=keep), job_id)

    def update_data(self, job_id: str, data: object) -> None:
        """Give the job other data, as in `add`; a handler that has it already sees the old.

        Raises:
            BadInputError: the data is refused; nothing was sent.
            JobNotFoundError: there is no such job.
        """
        check_known_job_id(job_id)
        text = encode(data, field="data", big_integers=self._store.big_integers)
        check_size(len(text), field="data")
        self._change(UpdateData(keys=self._store.keys, job_id=job_id, data=text), job_id)

    def promote(self, job_id: str) -> None:
        """Make a delayed job ready now, behind the others that wait.

        Raises:
            JobStateError: it is not delayed.
            JobNotFoundError: there is no such job.
            OutcomeUnknownError: the reply was lost; it may have been done.
        """
        move = PromoteJob(keys=self._store.keys, job_id=check_known_job_id(job_id))
        self._move(move, job_id, wanted="delayed")

    def change_delay(self, job_id: str, delay: Duration) -> None:
        """Let a delayed job wait for as long from now.

        Raises:
            JobStateError: it is not delayed.
            JobNotFoundError: there is no such job.
            OutcomeUnknownError: the reply was lost; it may have been done.
        """
        check_known_job_id(job_id)
        delay_ms = check_new_delay(delay)
        move = ChangeDelay(keys=self._store.keys, job_id=job_id, delay_ms=delay_ms)
        self._move(move, job_id, wanted="delayed")

    def change_priority(self, job_id: str, priority: int, *, lifo: bool = False) -> None:
        """Give a job another priority, as in `add`; 0 is none.

        A ready job goes behind the others of that priority, or with `lifo` before them. One that
        is not ready keeps the priority for when it is.

        Raises:
            JobNotFoundError: there is no such job.
        """
        move = ChangePriority(
            keys=self._store.keys,
            job_id=check_known_job_id(job_id),
            priority=check_priority(priority, "priority"),
            lifo=check_truth(lifo, "lifo"),
        )
        self._move(move, job_id)

    def retry(self, job_id: str, *, reset_attempts: bool = False) -> None:
        """Run a job again that has failed, or completed.

        It goes back to the queue as it was added, but without delay. Its attempts stay counted: one
        that has used them all up gets this one more; `reset_attempts` gives it all of them again.

        Raises:
            JobStateError: it has neither failed nor completed.
            JobNotFoundError: there is no such job.
            OutcomeUnknownError: the reply was lost; it may have been done.
        """
        check_known_job_id(job_id)
        anew = check_truth(reset_attempts, "reset_attempts")
        move = RetryJob(keys=self._store.keys, job_id=job_id, anew=anew)
        self._move(move, job_id, wanted="failed or completed")

    def remove(self, job_id: str, *, children: bool = True) -> bool:
        """Remove a job that no worker has, with its log, and its children and theirs.

        False when there was none. The last child that is removed lets its parent run; so does a
        deduplication id let the next job in. With `children=False` they stay, and run for nobody.

        Raises:
            JobLockedError: a worker has it, or one of the children; nothing was removed.
            ScheduledJobError: it is the next job of a scheduler; nothing was removed.
            OutcomeUnknownError: the reply was lost; it may have been done.
        """
        check_known_job_id(job_id)
        with_children = check_truth(children, "children")
        self._store.make_sure()
        removal = self._store.runner.run(
            RemoveJob(keys=self._store.keys, job_id=job_id, with_children=with_children)
        )
        if isinstance(removal, Removed):
            return removal.count > 0
        raise self._kept(job_id, removal)

    def remove_pending_children(self, job_id: str) -> int:
        """Remove the children that the job waits for, and theirs; how many jobs are gone.

        Those that a worker has, and those that have failed for good, stay and stay pending. When
        none is left the job runs, if it waits; and one that runs can complete.

        Raises:
            JobNotFoundError: there is no such job.
            OutcomeUnknownError: the reply was lost; it may have been done.
        """
        removal = RemovePendingChildren(keys=self._store.keys, job_id=check_known_job_id(job_id))
        return self._found(removal, job_id)

    def leave_parent(self, job_id: str) -> bool:
        """Make the job nobody's child: its parent neither waits for it nor is told of its end.

        False when nobody waits for it. The last one that leaves lets the parent run.

        Raises:
            JobNotFoundError: there is no such job.
            OutcomeUnknownError: the reply was lost; it may have been done.
        """
        departure = LeaveParent(keys=self._store.keys, job_id=check_known_job_id(job_id))
        return self._found(departure, job_id)

    def cancel(self, job_id: str) -> Cancellation:
        """See to it that the job is not run, or not run to its end, and never again.

        One that waits is removed, with its children. One that runs fails with the reason
        `cancelled`: a worker of toril stops it within a second; other workers cannot be told, so
        that it may still end well there. The answer says which of these it is.

        Raises:
            JobStateError: it has ended already.
            JobNotFoundError: there is no such job.
            JobLockedError: it waits for children, one of which runs; nothing was done.
            ScheduledJobError: it is the next job of a scheduler; nothing was done.
            OutcomeUnknownError: the reply was lost; it may have been done.
        """
        cancel = CancelJob(keys=self._store.keys, job_id=check_known_job_id(job_id))
        self._store.make_sure()
        outcome = self._store.runner.run(cancel)
        if isinstance(outcome, Cancellation):
            return outcome
        if isinstance(outcome, Refused):
            raise self._refusal(job_id, outcome, "unfinished")
        raise self._kept(job_id, outcome)

    def _kept(self, job_id: str, why: Locked | Scheduled) -> ConflictError:
        if isinstance(why, Scheduled):
            return ScheduledJobError(job_id, why.scheduler)
        is_the_job = why.job_key == self._store.keys.job(job_id)
        return JobLockedError(job_id, job_id if is_the_job else why.job_key)

    def _found(self, operation: Operation[R | None], job_id: str) -> R:
        self._store.make_sure()
        answer = self._store.runner.run(operation)
        if answer is None:
            raise JobNotFoundError(self._store.keys.name, job_id)
        return answer

    def _change(self, change: Operation[bool], job_id: str) -> None:
        self._store.make_sure()
        if not self._store.runner.run(change):
            raise JobNotFoundError(self._store.keys.name, job_id)

    def _move(
        self, move: Operation[Refused | None], job_id: str, *, wanted: str = ""
    ) -> None:
        self._store.make_sure()
        refused = self._store.runner.run(move)
        if refused is not None:
            raise self._refusal(job_id, refused, wanted)

    def _refusal(self, job_id: str, refused: Refused, wanted: str) -> TorilError:
        if refused.state is None:
            return JobNotFoundError(self._store.keys.name, job_id)
        return JobStateError(job_id, refused.state, wanted)
