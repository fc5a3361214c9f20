"""A queue of jobs in memory: what `MemorySource` serves workers from, and tests look into."""

import itertools
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Unpack

from toril.core.codec import decode, encode
from toril.core.durations import Duration, to_ms
from toril.core.errors import ConflictError, JobCancelledError, JobNotFoundError, JobStateError
from toril.runtime.source import Claimed, Effect, Lease, Outcome, Reaped, Settled
from toril.testing.clock import Clock, SystemClock
from toril.testing.lines import Lines
from toril.testing.memory_job import NOWHERE, JobSettings, JobState, MemoryJob
from toril.testing.verdicts import Verdict, judge


class MemoryQueue:
    """Jobs with priorities, delays, retries, leases and recovery, without a server.

    Any number of workers may share it, each with a `MemorySource` of its own. Data and results
    pass through JSON, as they would with a real queue. May be used from any thread.

        queue = MemoryQueue()
        job_id = queue.add({"to": "ada@example.com"}, attempts=3)
        ...
        assert queue.job(job_id).state is JobState.COMPLETED
    """

    def __init__(
        self,
        name: str = "memory",
        *,
        lease: Duration = 30,
        max_losses: int = 3,
        reap_every: Duration = 1,
        clock: Clock | None = None,
    ) -> None:
        self.name = name
        self.is_down = False
        """While true, every call of a source raises `UnavailableError`."""

        self._lease_ms = to_ms(lease, "lease", minimum=1)
        self._max_losses = max_losses
        self._reap_every_ms = to_ms(reap_every, "reap_every", minimum=1)
        self._clock = SystemClock() if clock is None else clock
        self._clock.on_advance(self.promote)
        self._lock = threading.RLock()
        self._jobs: dict[str, MemoryJob] = {}
        self._lines = Lines()
        self._ids = itertools.count(1)
        self._bells: list[Callable[[], None]] = []
        self._limited_until_ms = 0

    def add(
        self,
        data: object = None,
        *,
        name: str = "job",
        job_id: str | None = None,
        delay: Duration = 0,
        **settings: Unpack[JobSettings],
    ) -> str:
        """Add a job and return its id; jobs of one priority run in the order of their adding."""
        copy = decode(encode(data), field="data")
        delay_ms = to_ms(delay, "delay")
        with self._lock:
            job_id = str(next(self._ids)) if job_id is None else job_id
            if job_id in self._jobs:
                raise ConflictError(f"queue {self.name!r} has a job {job_id!r} already")
            job = self._jobs[job_id] = MemoryJob(id=job_id, name=name, data=copy, **settings)
            self._line_up(job, delay_ms)
        self._ring()
        return job_id

    def job(self, job_id: str) -> MemoryJob:
        """The job, whatever its state."""
        try:
            return self._jobs[job_id]
        except KeyError:
            raise JobNotFoundError(self.name, job_id) from None

    def jobs(self, state: JobState | None = None) -> list[MemoryJob]:
        """The jobs in this state, or all, in the order of their adding."""
        with self._lock:
            return [job for job in self._jobs.values() if state in (None, job.state)]

    def counts(self) -> dict[JobState, int]:
        """How many jobs are in each state."""
        found = Counter(job.state for job in self.jobs())
        return {state: found[state] for state in JobState}

    def cancel(self, job_id: str) -> None:
        """Remove a job that waits; tell the worker of one that runs, and never run it again.

        Raises:
            JobStateError: it has ended.
        """
        with self._lock:
            job = self.job(job_id)
            if job.state in (JobState.COMPLETED, JobState.FAILED):
                raise JobStateError(job_id, job.state.value, "unfinished")
            if job.state is JobState.ACTIVE:
                job.is_cancelled = True
            else:
                del self._jobs[job_id]
                job.place = NOWHERE

    def cancelled(self, worker: str) -> list[Lease]:
        """The leases on cancelled jobs that this worker holds; its tokens begin with its name."""
        with self._lock:
            leases = [Lease(job.id, job.token) for job in self._jobs.values() if job.is_cancelled]
            return [
                lease
                for lease in leases
                if lease.token.startswith(f"{worker}:") and self._owned(lease) is not None
            ]

    def break_lease(self, job_id: str) -> None:
        """Let the lease on this job end now, as if its worker had been gone for long."""
        self.job(job_id).lease_ends_ms = 0

    def claim(self, want: int, token: str) -> list[Claimed[MemoryJob]]:
        """Lease up to `want` jobs to whoever has the token."""
        with self._lock:
            self.promote()
            claimed: list[Claimed[MemoryJob]] = []
            if self._is_limited():
                return claimed
            while len(claimed) < want and (job := self._lines.pop_ready()):
                job.state = JobState.ACTIVE
                job.token = token
                job.lease_ends_ms = self._clock.now_ms() + self._lease_ms
                defect = JobCancelledError() if job.is_cancelled else None
                timeout_ms = None if job.timeout is None else to_ms(job.timeout, "timeout")
                claimed.append(Claimed(Lease(job.id, token), job, defect, timeout_ms))
            return claimed

    def settle(self, outcome: Outcome[MemoryJob]) -> Settled:
        """Store how a run ended, if the lease still holds."""
        lease = outcome.claimed.lease
        with self._lock:
            if (job := self._owned(lease)) is None:
                return Settled(lease.job_id, Effect.SUPERSEDED)
            verdict = judge(job, outcome.ending, now_ms=self._clock.now_ms())
            self._carry_out(job, verdict)
        self._ring()
        return Settled(job.id, verdict.effect, verdict.reason, verdict.delay_ms)

    def renew(self, leases: Sequence[Lease]) -> list[Lease]:
        """Prolong these, and return the lost ones."""
        with self._lock:
            ends_ms = self._clock.now_ms() + self._lease_ms
            lost: list[Lease] = []
            for lease in leases:
                if (job := self._owned(lease)) is None:
                    lost.append(lease)
                else:
                    job.lease_ends_ms = ends_ms
            return lost

    def give_back(self, leases: Sequence[Lease]) -> int:
        """Put these jobs at the head of the line, and count them."""
        with self._lock:
            jobs = [job for job in map(self._owned, leases) if job is not None]
            for job in reversed(jobs):
                self._lines.put_first(job)
        self._ring()
        return len(jobs)

    def reap(self) -> Reaped:
        """Put the jobs back whose lease has ended; fail those that were lost too often."""
        recovered: list[str] = []
        exhausted: list[str] = []
        with self._lock:
            now_ms = self._clock.now_ms()
            for job in self.jobs(JobState.ACTIVE):
                if job.lease_ends_ms > now_ms:
                    continue
                job.losses += 1
                if job.losses > self._max_losses:
                    self._end(job, JobState.FAILED, f"its worker was lost {job.losses} times")
                    exhausted.append(job.id)
                else:
                    self._lines.put_first(job)
                    recovered.append(job.id)
        self._ring()
        return Reaped(recovered, exhausted, self._reap_every_ms)

    def promote(self) -> None:
        """Make the delayed jobs ready that are due, and end a rate limit that is over."""
        with self._lock:
            due = 0 < self._limited_until_ms <= self._clock.now_ms()
            if due:
                self._limited_until_ms = 0
            while job := self._lines.pop_due(self._clock.now_ms()):
                self._lines.put_last(job)
                due = True
        if due:
            self._ring()

    def next_in_ms(self) -> int | None:
        """How long until the next delayed job comes due."""
        with self._lock:
            due_ms = self._lines.next_due_ms()
            if self._is_limited():
                due_ms = min(self._limited_until_ms, due_ms or self._limited_until_ms)
            return None if due_ms is None else max(due_ms - self._clock.now_ms(), 0)

    @contextmanager
    def listening(self, bell: Callable[[], None]) -> Iterator[None]:
        """Call `bell`, on whatever thread, whenever there may be work."""
        self._bells.append(bell)
        try:
            yield
        finally:
            self._bells.remove(bell)

    def _is_limited(self) -> bool:
        return self._limited_until_ms > self._clock.now_ms()

    def _owned(self, lease: Lease) -> MemoryJob | None:
        job = self._jobs.get(lease.job_id)
        if job is None or job.state is not JobState.ACTIVE or job.token != lease.token:
            return None
        return job if job.lease_ends_ms > self._clock.now_ms() else None

    def _carry_out(self, job: MemoryJob, verdict: Verdict) -> None:
        job.attempts_made += verdict.counts
        match verdict.effect:
            case Effect.COMPLETED:
                job.result = verdict.result
                self._end(job, JobState.COMPLETED, "")
            case Effect.FAILED:
                self._end(job, JobState.FAILED, verdict.reason)
            case Effect.LIMITED:
                until_ms = self._clock.now_ms() + verdict.delay_ms
                self._limited_until_ms = max(self._limited_until_ms, until_ms)
                self._lines.put_first(job)
            case Effect.GIVEN_BACK:
                self._lines.put_first(job)
            case _:
                job.reason = verdict.reason
                self._line_up(job, verdict.delay_ms)

    def _line_up(self, job: MemoryJob, delay_ms: int) -> None:
        if delay_ms:
            self._lines.delay(job, self._clock.now_ms() + delay_ms)
        else:
            self._lines.put_last(job)

    def _end(self, job: MemoryJob, state: JobState, reason: str) -> None:
        job.state = state
        job.reason = reason

    def _ring(self) -> None:
        for bell in tuple(self._bells):
            bell()
