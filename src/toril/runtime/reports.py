"""Turn what happens in an engine into events."""

from collections.abc import Mapping
from typing import Final

from toril.runtime.source import Effect, Lease, Reaped, Settled
from toril.runtime.stop import StopReason
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import (
    ExchangeFailed,
    JobAbandoned,
    JobClaimed,
    JobCompleted,
    JobDelayed,
    JobEvent,
    JobFailed,
    JobGivenBack,
    JobRateLimited,
    JobRetried,
    JobsRecovered,
    JobStopping,
    JobSuperseded,
    JobWaits,
    LeaseLost,
    WorkerDraining,
    WorkerStarted,
    WorkerStopped,
)


class Reports:
    """The events of one worker on one queue; may be used from any thread."""

    def __init__(self, emitter: Emitter, *, queue: str, worker: str) -> None:
        self._emit = emitter.emit
        self._queue = queue
        self._worker = worker
        # Threads count into it together: it sets a pace, not a balance.
        self._failures = 0

    def started(self, concurrency: int) -> None:
        """The worker takes jobs from now on."""
        self._emit(WorkerStarted(queue=self._queue, worker=self._worker, concurrency=concurrency))

    def draining(self, running: int) -> None:
        """The worker takes no more jobs."""
        self._emit(WorkerDraining(queue=self._queue, worker=self._worker, running=running))

    def stopped(self, given_back: int) -> None:
        """The worker is over."""
        self._emit(WorkerStopped(queue=self._queue, worker=self._worker, given_back=given_back))

    def failed(self, error: Exception) -> str:
        """The store could not be asked; returns what the problem is."""
        # A timeout of our own comes without words.
        problem = f"{type(error).__name__}: {str(error) or 'no answer in time'}"
        self._failures += 1
        self._emit(
            ExchangeFailed(
                queue=self._queue, worker=self._worker, problem=problem, in_a_row=self._failures
            )
        )
        return problem

    def answered(self) -> None:
        """The store works: the next failure is news."""
        self._failures = 0

    def reaped(self, reaped: Reaped) -> None:
        """Jobs of lost workers were found, or none."""
        if reaped.recovered or reaped.exhausted:
            self._emit(
                JobsRecovered(
                    queue=self._queue,
                    worker=self._worker,
                    recovered=tuple(reaped.recovered),
                    exhausted=tuple(reaped.exhausted),
                )
            )

    def claimed(self, job_id: str) -> None:
        """A handler is about to start."""
        self._emit(JobClaimed(queue=self._queue, worker=self._worker, job_id=job_id))

    def lost(self, lease: Lease) -> None:
        """The lease on a running job is gone."""
        self._emit(LeaseLost(queue=self._queue, worker=self._worker, job_id=lease.job_id))

    def stopping(self, job_id: str, why: StopReason) -> None:
        """A handler is told to stop, though its worker goes on."""
        self._emit(
            JobStopping(queue=self._queue, worker=self._worker, job_id=job_id, reason=why.value)
        )

    def abandoned(self, job_id: str) -> None:
        """A handler did not stop when it was told to."""
        self._emit(JobAbandoned(queue=self._queue, worker=self._worker, job_id=job_id))

    def superseded(self, job_id: str) -> None:
        """The outcome of a run was dropped."""
        self._emit(JobSuperseded(queue=self._queue, worker=self._worker, job_id=job_id))

    def settled(self, settled: Settled, took_ms: float) -> None:
        """The store has an outcome."""
        self._emit(self._event_of(settled, took_ms))

    def _event_of(self, settled: Settled, took_ms: float) -> JobEvent:
        queue, worker, job_id = self._queue, self._worker, settled.job_id
        match settled.effect:
            case Effect.COMPLETED:
                return JobCompleted(queue=queue, worker=worker, job_id=job_id, took_ms=took_ms)
            case Effect.FAILED:
                return JobFailed(queue=queue, worker=worker, job_id=job_id, reason=settled.reason)
            case Effect.RETRIED:
                return JobRetried(
                    queue=queue,
                    worker=worker,
                    job_id=job_id,
                    reason=settled.reason,
                    delay_ms=settled.delay_ms,
                )
            case Effect.DELAYED:
                return JobDelayed(
                    queue=queue, worker=worker, job_id=job_id, delay_ms=settled.delay_ms
                )
            case Effect.LIMITED:
                return JobRateLimited(
                    queue=queue, worker=worker, job_id=job_id, delay_ms=settled.delay_ms
                )
            case _:
                return _PLAIN[settled.effect](queue=queue, worker=worker, job_id=job_id)


_PLAIN: Final[Mapping[Effect, type[JobEvent]]] = {
    Effect.GIVEN_BACK: JobGivenBack,
    Effect.WAITS: JobWaits,
    Effect.SUPERSEDED: JobSuperseded,
}
"""Effects about which there is nothing more to say."""
