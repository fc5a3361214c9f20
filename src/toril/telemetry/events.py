"""Every event toril reports, by class: a public contract.

Events carry names, ids and numbers; never a job's data or result.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened in this process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLost(Event):
    """A connection broke; it is being made again."""

    server: str
    purpose: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionRestored(Event):
    """A connection that was lost works again."""

    server: str
    purpose: str
    attempts: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptLoaded(Event):
    """The server did not know a script and was given it."""

    server: str
    script: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerStarted(Event):
    """A worker begins to take jobs."""

    queue: str
    worker: str
    concurrency: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerDraining(Event):
    """A worker takes no more jobs and finishes what it has."""

    queue: str
    worker: str
    running: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerStopped(Event):
    """A worker ended; `given_back` jobs went back to the queue unfinished."""

    queue: str
    worker: str
    given_back: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeFailed(Event):
    """A round with the server failed; the worker goes on by itself."""

    queue: str
    worker: str
    problem: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobEvent(Event):
    """Something that happened to one job in this worker."""

    queue: str
    worker: str
    job_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobClaimed(JobEvent):
    """The job is this worker's now; its handler is about to start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCompleted(JobEvent):
    """The job is stored as completed."""

    took_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFailed(JobEvent):
    """The job is stored as failed, for good."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRetried(JobEvent):
    """An attempt failed; the job will be tried again after `delay_ms`."""

    reason: str
    delay_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobDelayed(JobEvent):
    """The handler put the job off by `delay_ms`; the attempt does not count."""

    delay_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class JobGivenBack(JobEvent):
    """The job went back to the queue unfinished, at the head of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSuperseded(JobEvent):
    """The outcome came too late: the job was no longer this worker's, so it was dropped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseLost(JobEvent):
    """The lease on a running job is gone; its handler is cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobAbandoned(JobEvent):
    """The handler did not stop when it was cancelled; it may run on while its job is elsewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobsRecovered(Event):
    """Jobs whose worker went away: `recovered` run again, `exhausted` were lost too often."""

    queue: str
    worker: str
    recovered: tuple[str, ...]
    exhausted: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GhostDropped(Event):
    """An id without a job was found in the queue and removed."""

    queue: str
    job_id: str
