"""The jobs of a queue: look at them, move them, remove them. What `queue.jobs` is."""  # generated from _async/jobs.py by tools/generate_sync.py: edit that file

from collections.abc import Callable
from datetime import datetime

from toril.bullmq._sync.job_verbs import JobVerbs
from toril.bullmq.job_checks import check_timestamp
from toril.bullmq.operations.inspect.count_ended import CountEnded
from toril.bullmq.operations.inspect.counts import CountJobs
from toril.bullmq.operations.move.batch import Moved
from toril.bullmq.operations.move.promote_jobs import PromoteJobs
from toril.bullmq.operations.move.retry_jobs import FINISHED_STATES, FinishedState, RetryJobs
from toril.bullmq.option_checks import check_one_of
from toril.core.operation import Operation

MOST_AT_ONCE = 1_000


class Jobs(JobVerbs):
    """One job by its id, or many by what they are."""

    def promote_all(self) -> int:
        """Make every delayed job ready now, the earliest first; how many there were.

        Each goes behind the others of its priority. In requests of at most 1,000 jobs: those
        that are added meanwhile may stay delayed.
        """
        keys = self._store.keys
        self._store.make_sure()
        total = (self._store.runner.run(CountJobs(keys=keys))).delayed
        return self._move_all(total, lambda count: PromoteJobs(keys=keys, count=count))

    def retry_all(
        self, state: FinishedState = "failed", *, before: datetime | None = None
    ) -> int:
        """Run every failed job again, or every completed one; how many there were.

        `before` leaves those out that ended later. Each goes behind the others of its priority,
        and its attempts stay counted, as with `retry`. In requests of at most 1,000 jobs: one that
        ends again meanwhile is not run a third time.
        """
        kind = check_one_of(state, FINISHED_STATES, "state")
        until_ms = None if before is None else check_timestamp(before, "before")
        keys = self._store.keys
        ended_key = keys.failed if kind == "failed" else keys.completed
        self._store.make_sure()
        ended = self._store.runner.run(CountEnded(ended_key=ended_key, until_ms=until_ms))
        return self._move_all(
            ended.count,
            lambda count: RetryJobs(keys=keys, kind=kind, until_ms=ended.until_ms, count=count),
        )

    def _move_all(self, total: int, batch_of: Callable[[int], Operation[Moved]]) -> int:
        left, moved = total, 0
        while left > 0:
            batch = self._store.runner.run(batch_of(min(left, MOST_AT_ONCE)))
            if not batch.taken:
                break
            left -= batch.taken
            moved += batch.jobs
        return moved
