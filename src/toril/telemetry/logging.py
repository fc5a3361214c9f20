"""Events as log records, for the standard library's logging: one subscriber among others.

It writes to `toril.connection`, `toril.queue`, `toril.worker`, `toril.job` and `toril.toolkit`,
and configures nothing: which of them is heard, how it looks and where it goes is the
application's to say.
"""

import logging
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from toril.telemetry import (
    events,
    toolkit_cache,
    toolkit_leases,
    toolkit_limits,
    toolkit_once,
    toolkit_redlock,
)
from toril.telemetry.events import Event

_CONNECTION: Final = logging.getLogger("toril.connection")
_QUEUE: Final = logging.getLogger("toril.queue")
_WORKER: Final = logging.getLogger("toril.worker")
_JOB: Final = logging.getLogger("toril.job")
_TOOLKIT: Final = logging.getLogger("toril.toolkit")


class _Line(NamedTuple):
    """How one class of events is told: to which logger, how loudly, in which words.

    The message is constant, so that records of one kind can be counted and grouped; what is
    particular to a record is in its extra fields.
    """

    logger: logging.Logger
    level: int
    message: str


_LINES: Final[Mapping[type[Event], _Line]] = {
    events.ConnectionLost: _Line(_CONNECTION, logging.WARNING, "connection lost"),
    events.ConnectionRestored: _Line(_CONNECTION, logging.INFO, "connection restored"),
    events.ScriptLoaded: _Line(_CONNECTION, logging.DEBUG, "script loaded"),
    events.WorkerStarted: _Line(_WORKER, logging.INFO, "worker started"),
    events.WorkerDraining: _Line(_WORKER, logging.INFO, "worker is draining"),
    events.WorkerStopped: _Line(_WORKER, logging.INFO, "worker stopped"),
    events.ExchangeFailed: _Line(_WORKER, logging.WARNING, "exchange with the server failed"),
    events.JobsRecovered: _Line(_WORKER, logging.WARNING, "jobs of lost workers recovered"),
    events.GhostDropped: _Line(_WORKER, logging.WARNING, "an id without a job was dropped"),
    events.QueueEventSkipped: _Line(
        _QUEUE, logging.WARNING, "an entry of the event stream skipped"
    ),
    events.JobClaimed: _Line(_JOB, logging.DEBUG, "job claimed"),
    events.JobCompleted: _Line(_JOB, logging.INFO, "job completed"),
    events.JobFailed: _Line(_JOB, logging.ERROR, "job failed"),
    events.JobRetried: _Line(_JOB, logging.WARNING, "job will be retried"),
    events.JobDelayed: _Line(_JOB, logging.INFO, "job delayed"),
    events.JobGivenBack: _Line(_JOB, logging.INFO, "job given back"),
    events.JobStopping: _Line(_JOB, logging.WARNING, "handler told to stop"),
    events.JobRateLimited: _Line(_JOB, logging.WARNING, "queue rate limited by a job"),
    events.JobWaits: _Line(_JOB, logging.INFO, "job waits for its children"),
    events.JobAbandoned: _Line(_JOB, logging.WARNING, "handler did not stop when cancelled"),
    events.JobSuperseded: _Line(_JOB, logging.WARNING, "outcome of a job came too late"),
    toolkit_limits.HitAllowed: _Line(_TOOLKIT, logging.DEBUG, "allowed by a limiter"),
    toolkit_limits.HitRefused: _Line(_TOOLKIT, logging.DEBUG, "refused by a limiter"),
    toolkit_limits.LimiterDegraded: _Line(
        _TOOLKIT, logging.WARNING, "limiter decides without its server"
    ),
    toolkit_limits.LimiterRestored: _Line(_TOOLKIT, logging.INFO, "limiter asks its server again"),
    events.LeaseLost: _Line(_JOB, logging.WARNING, "lease on a job lost"),
    toolkit_leases.LeaseAcquired: _Line(_TOOLKIT, logging.DEBUG, "lease acquired"),
    toolkit_leases.LeaseContended: _Line(_TOOLKIT, logging.DEBUG, "waiting for a lease"),
    toolkit_leases.LeaseRenewed: _Line(_TOOLKIT, logging.DEBUG, "lease renewed"),
    toolkit_leases.LeaseReleased: _Line(_TOOLKIT, logging.DEBUG, "lease released"),
    toolkit_leases.LeaseGone: _Line(_TOOLKIT, logging.WARNING, "lease lost"),
    toolkit_leases.LeaseBroken: _Line(_TOOLKIT, logging.WARNING, "lease broken on request"),
    toolkit_once.OnceRan: _Line(_TOOLKIT, logging.DEBUG, "run ended and kept"),
    toolkit_once.OnceReplayed: _Line(_TOOLKIT, logging.DEBUG, "end of an earlier run replayed"),
    toolkit_once.OnceRefused: _Line(_TOOLKIT, logging.DEBUG, "run by somebody else"),
    toolkit_redlock.QuorumMissed: _Line(_TOOLKIT, logging.WARNING, "no majority of servers"),
    toolkit_cache.CacheHit: _Line(_TOOLKIT, logging.DEBUG, "cache hit"),
    toolkit_cache.CacheMissed: _Line(_TOOLKIT, logging.DEBUG, "cache missed"),
    toolkit_cache.CacheServedStale: _Line(_TOOLKIT, logging.INFO, "cache served a stale value"),
    toolkit_cache.CacheFilled: _Line(_TOOLKIT, logging.DEBUG, "cache filled"),
    toolkit_cache.CacheFillRejected: _Line(_TOOLKIT, logging.INFO, "cache did not store a value"),
    toolkit_cache.CacheLoadFailed: _Line(_TOOLKIT, logging.WARNING, "loading into a cache failed"),
    toolkit_cache.CacheUndecodable: _Line(
        _TOOLKIT, logging.WARNING, "value in a cache cannot be read"
    ),
    toolkit_cache.CacheWrote: _Line(_TOOLKIT, logging.DEBUG, "write through a cache ended"),
    toolkit_cache.CacheDegraded: _Line(_TOOLKIT, logging.DEBUG, "cache goes on without server"),
    toolkit_cache.CachePaused: _Line(_TOOLKIT, logging.WARNING, "cache asks the server no more"),
    toolkit_cache.CacheMemoryOpened: _Line(_TOOLKIT, logging.DEBUG, "cache keeps values in memory"),
    toolkit_cache.CacheMemoryLost: _Line(_TOOLKIT, logging.INFO, "cache forgot what was in memory"),
    toolkit_cache.CacheResumed: _Line(_TOOLKIT, logging.INFO, "cache asks the server again"),
}

_UNKNOWN: Final = _Line(logging.getLogger("toril"), logging.INFO, "event")


def log_events(event: Event) -> None:
    """Write the event to its logger, with its class as `event` and its fields beside it."""
    logger, level, message = _LINES.get(type(event), _UNKNOWN)
    if isinstance(event, events.ExchangeFailed) and not _is_news(event.in_a_row):
        level = logging.DEBUG
    if logger.isEnabledFor(level):
        fields = msgspec.structs.asdict(event)
        logger.log(level, message, extra={"event": type(event).__name__, **fields})


def _is_news(in_a_row: int) -> bool:
    """The first, the second, the fourth: less and less often while an outage lasts."""
    return in_a_row & (in_a_row - 1) == 0
