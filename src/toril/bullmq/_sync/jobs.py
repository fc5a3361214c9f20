"""The jobs of a queue: look at them, move them, remove them. What `queue.jobs` is."""  # generated from _async/jobs.py by tools/generate_sync.py: edit that file

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from toril.bullmq._sync import clearing
from toril.bullmq._sync.clearing import MOST_AT_ONCE
from toril.bullmq._sync.job import Job
from toril.bullmq._sync.job_verbs import JobVerbs
from toril.bullmq.job_checks import check_priority, check_timestamp
from toril.bullmq.job_listing import MOST_LISTED, places_of
from toril.bullmq.keep import MOST_KEPT
from toril.bullmq.operations.inspect.count_ended import CountEnded
from toril.bullmq.operations.inspect.count_priorities import CountPriorities
from toril.bullmq.operations.inspect.counts import CountJobs
from toril.bullmq.operations.inspect.list_jobs import ListJobs
from toril.bullmq.operations.move.batch import Moved
from toril.bullmq.operations.move.promote_jobs import PromoteJobs
from toril.bullmq.operations.move.retry_jobs import FINISHED_STATES, FinishedState, RetryJobs
from toril.bullmq.wire.state import CLEAN_STATES, CleanState, JobState
from toril.core.checks import check_one_of, check_truth, check_whole
from toril.core.durations import Duration, to_ms
from toril.core.operation import Operation

MOST_CLEANED = 2**53 - 1


class Jobs(JobVerbs):
    """One job by its id, or many by what they are."""

    def list(
        self,
        *states: JobState,
        start: int = 0,
        limit: int = 100,
        newest_first: bool | None = None,
    ) -> Sequence[Job]:
        """Up to `limit` jobs in these states, or in any, after the first `start` of them.

        They come state by state, in the order in which you name these. Ready jobs and delayed ones
        come in the order in which they will run, active ones as they began, finished ones with
        the newest first; `newest_first` turns all of them one way. `waiting` includes `paused`.

        A job that cannot be read is there all the same, with its `problem`. One that is removed
        meanwhile is left out, so a page may be shorter than its limit.
        """
        keys = self._store.keys
        if newest_first is not None:
            check_truth(newest_first, "newest_first")
        places = places_of(states, newest_first)
        start = check_whole(start, "start", 0, MOST_KEPT)
        end = start + check_whole(limit, "limit", 1, MOST_LISTED)
        self._store.make_sure()
        jobs = []
        next_start: int | None = start
        while next_start is not None and next_start < end:
            count = min(end - next_start, MOST_AT_ONCE)
            question = ListJobs(keys=keys, places=places, start=next_start, limit=count)
            page = self._store.runner.run(question)
            jobs += [Job(record, self._store) for record in page.jobs]
            next_start = page.next_start
        return jobs

    def counts_per_priority(self, *priorities: int) -> Mapping[int, int]:
        """How many ready jobs there are of each of these priorities; 0 is for those with none.

        Raises:
            BadInputError: one is not a whole number from 0 to 2,097,151.
        """
        wanted = [check_priority(priority, "priority") for priority in priorities]
        self._store.make_sure()
        question = CountPriorities(keys=self._store.keys, priorities=wanted)
        return self._store.runner.run(question)

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

    def clean(
        self, state: CleanState, *, grace: Duration = 0, limit: int | None = None
    ) -> Sequence[str]:
        """Remove the jobs of one state that are older than `grace`, at most `limit`; their ids.

        What counts is when a job ended; when it was taken, if it has not ended; when it was added,
        if it was not taken. Jobs that a worker has locked stay, and so do the next jobs of
        schedulers. In requests of at most 1,000 jobs; parents are treated as by `Queue.drain`.

        Raises:
            OutcomeUnknownError: a reply was lost; jobs may be gone whose ids nobody knows.
        """
        check_one_of(state, CLEAN_STATES, "state")
        grace_ms = to_ms(grace, "grace")
        if limit is not None:
            check_whole(limit, "limit", 1, MOST_CLEANED)
        self._store.make_sure()
        return clearing.clean(self._store, state, grace_ms=grace_ms, limit=limit)

    def _move_all(self, total: int, batch_of: Callable[[int], Operation[Moved]]) -> int:
        left, moved = total, 0
        while left > 0:
            batch = self._store.runner.run(batch_of(min(left, MOST_AT_ONCE)))
            if not batch.taken:
                break
            left -= batch.taken
            moved += batch.jobs
        return moved
