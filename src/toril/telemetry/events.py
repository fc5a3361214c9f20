"""Every event toril reports, by class: a public contract.

Events carry names, ids and numbers; never a job's data or result.
"""

import msgspec


class Event(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Something that happened in this process."""


class ConnectionLost(Event, frozen=True, kw_only=True, gc=False):
    """A connection broke; it is being made again."""

    server: str
    purpose: str
    problem: str


class ConnectionRestored(Event, frozen=True, kw_only=True, gc=False):
    """A connection that was lost works again."""

    server: str
    purpose: str
    attempts: int


class ScriptLoaded(Event, frozen=True, kw_only=True, gc=False):
    """The server did not know a script and was given it."""

    server: str
    script: str


class WorkerStarted(Event, frozen=True, kw_only=True, gc=False):
    """A worker begins to take jobs."""

    queue: str
    worker: str
    concurrency: int


class WorkerDraining(Event, frozen=True, kw_only=True, gc=False):
    """A worker takes no more jobs and finishes what it has."""

    queue: str
    worker: str
    running: int


class WorkerStopped(Event, frozen=True, kw_only=True, gc=False):
    """A worker ended; `given_back` jobs went back to the queue unfinished."""

    queue: str
    worker: str
    given_back: int


class ExchangeFailed(Event, frozen=True, kw_only=True, gc=False):
    """A round with the server failed; the worker goes on by itself.

    `in_a_row` counts the rounds that have failed since one succeeded.
    """

    queue: str
    worker: str
    problem: str
    in_a_row: int = 1


class JobEvent(Event, frozen=True, kw_only=True, gc=False):
    """Something that happened to one job in this worker."""

    queue: str
    worker: str
    job_id: str


class JobClaimed(JobEvent, frozen=True, kw_only=True, gc=False):
    """The job is this worker's now; its handler is about to start."""


class JobCompleted(JobEvent, frozen=True, kw_only=True, gc=False):
    """The job is stored as completed."""

    took_ms: float


class JobFailed(JobEvent, frozen=True, kw_only=True, gc=False):
    """The job is stored as failed, for good."""

    reason: str


class JobRetried(JobEvent, frozen=True, kw_only=True, gc=False):
    """An attempt failed; the job will be tried again after `delay_ms`."""

    reason: str
    delay_ms: int


class JobDelayed(JobEvent, frozen=True, kw_only=True, gc=False):
    """The handler put the job off by `delay_ms`; the attempt does not count."""

    delay_ms: int


class JobGivenBack(JobEvent, frozen=True, kw_only=True, gc=False):
    """The job went back to the queue unfinished, at the head of it."""


class JobRateLimited(JobEvent, frozen=True, kw_only=True, gc=False):
    """The job went back to the queue, and no job is to start for `delay_ms`."""

    delay_ms: int


class JobWaits(JobEvent, frozen=True, kw_only=True, gc=False):
    """The job waits for its children; the attempt does not count."""


class JobSuperseded(JobEvent, frozen=True, kw_only=True, gc=False):
    """The outcome came too late: the job was no longer this worker's, so it was dropped."""


class LeaseLost(JobEvent, frozen=True, kw_only=True, gc=False):
    """The lease on a running job is gone; its handler is cancelled."""


class JobStopping(JobEvent, frozen=True, kw_only=True, gc=False):
    """The handler is told to stop; `reason` is `timeout` or `cancelled`."""

    reason: str


class JobAbandoned(JobEvent, frozen=True, kw_only=True, gc=False):
    """The handler did not stop when it was cancelled; it may run on while its job is elsewhere."""


class JobsRecovered(Event, frozen=True, kw_only=True, gc=False):
    """Jobs whose worker went away: `recovered` run again, `exhausted` were lost too often."""

    queue: str
    worker: str
    recovered: tuple[str, ...]
    exhausted: tuple[str, ...]


class GhostDropped(Event, frozen=True, kw_only=True, gc=False):
    """An id without a job was found in the queue and removed."""

    queue: str
    job_id: str


class QueueEventSkipped(Event, frozen=True, kw_only=True, gc=False):
    """An entry of a queue's event stream could not be read; whoever follows it goes on behind."""

    queue: str
    event_id: str
    problem: str
