"""How a worker is set up: what people may say, checked, and turned into what its parts take."""

import os
import secrets
import socket
from typing import Final, TypedDict

from toril.bullmq.job_checks import MOST_ATTEMPTS, SHORTEST_TIMEOUT_MS
from toril.bullmq.keep import MOST_KEPT, Keep
from toril.bullmq.rate_limit import RateLimit
from toril.bullmq.wire.options import KeepRule
from toril.bullmq.worker.retry_policy import (
    BackoffStrategy,
    RetryPolicy,
    check_plain,
    retry_policy_of,
)
from toril.bullmq.worker.settlement import Policy
from toril.bullmq.worker.source import SourceOptions
from toril.core.backoff import DEFAULT_CAP_MS, Backoff
from toril.core.checks import check_whole
from toril.core.durations import Duration, to_ms
from toril.core.errors import BadInputError
from toril.core.ids import check_job_name, worker_id
from toril.runtime.options import EngineOptions
from toril.telemetry.emitter import Emitter

_SHUTDOWN_MARGIN_MS: Final = 5_000
"""What cancelling, giving back and closing may take after the drain."""

_MOST_STALLED: Final = 1_000_000
_LONGEST_MS: Final = 86_400_000
_MINUTE_MS: Final = 60_000
_LONGEST_METRICS_MS: Final = 31 * 86_400_000
"""After a long rest the minutes without jobs are stored at once, and the server waits for that."""


class WorkerOptions(TypedDict, total=False):
    """What can be said about a worker."""

    concurrency: int
    """How many jobs run at the same time; 1 by default."""

    name: str
    """Stored with every job it takes; by default host, process and a random part."""

    lock: Duration
    """How long the queue keeps a job for this worker without hearing from it; 30 s."""

    stalled_interval: Duration
    """Between two checks for jobs of lost workers; 30 s."""

    max_stalled: int
    """How often a job may be lost with its worker before it is failed; 3."""

    max_started: int
    """How often a job may be started in all before it is failed: after losses, too, and after it
    was given back or put off; no limit by default."""

    timeout: Duration
    """How long a handler may run a job that does not say; no limit by default."""

    drain_timeout: Duration
    """How long running jobs may go on after the first request to stop; 25 s."""

    max_attempts: int
    """Instead of the number of attempts that a job asks for."""

    backoff: Backoff
    """Instead of the backoff that a job asks for."""

    backoff_strategy: BackoffStrategy
    """The pause between attempts of jobs that ask for a `CustomBackoff`."""

    retry_policy: RetryPolicy
    """Which failures are worth another attempt: all by default, or `"categorized"`, or as a
    function says."""

    max_backoff: Duration
    """No pause between attempts is longer; 1 h."""

    limiter: RateLimit
    """How many jobs the workers with this limit start in a period, all of them together."""

    metrics: Duration
    """For how long back the jobs that ended are counted minute by minute; not by default."""

    remove_on_complete: bool | int | Keep
    """Which completed jobs stay, for jobs that do not say."""

    remove_on_fail: bool | int | Keep
    """Which failed jobs stay, for jobs that do not say."""

    emitter: Emitter
    """Who hears of events, instead of the standard library's logging."""


def new_worker_id() -> str:
    """A name that no other worker has."""
    return worker_id(socket.gethostname(), os.getpid(), secrets.token_hex(3))


def engine_options(options: WorkerOptions) -> EngineOptions:
    """What the engine takes of them."""
    longest_ms = _LONGEST_MS - _SHUTDOWN_MARGIN_MS
    drain_ms = to_ms(options.get("drain_timeout", 25), "drain_timeout", maximum=longest_ms)
    return EngineOptions(
        concurrency=options.get("concurrency", 1),
        lease_ms=_lock_ms(options),
        drain_ms=drain_ms,
        shutdown_ms=drain_ms + _SHUTDOWN_MARGIN_MS,
    )


def source_options(options: WorkerOptions, worker: str) -> SourceOptions:
    """What the queue is told of them."""
    name = options.get("name", worker)
    interval = options.get("stalled_interval", 30)
    return SourceOptions(
        worker=worker,
        worker_name=check_job_name(name) if name else "",
        lock_ms=_lock_ms(options),
        stalled_interval_ms=to_ms(interval, "stalled_interval", minimum=100, maximum=_LONGEST_MS),
        timeout_ms=_timeout_ms(options),
        max_stalled=check_whole(options.get("max_stalled", 3), "max_stalled", 0, _MOST_STALLED),
        max_started=_max_started(options),
        limiter=_limiter(options.get("limiter")),
        metrics_minutes=_metrics_minutes(options),
        policy=_policy(options),
    )


def _lock_ms(options: WorkerOptions) -> int:
    return to_ms(options.get("lock", 30), "lock", minimum=100, maximum=_LONGEST_MS)


def _max_started(options: WorkerOptions) -> int | None:
    if "max_started" not in options:
        return None
    return check_whole(options["max_started"], "max_started", 1, MOST_ATTEMPTS)


def _timeout_ms(options: WorkerOptions) -> int | None:
    if "timeout" not in options:
        return None
    return to_ms(options["timeout"], "timeout", minimum=SHORTEST_TIMEOUT_MS)


def _metrics_minutes(options: WorkerOptions) -> int:
    if "metrics" not in options:
        return 0
    kept = options["metrics"]
    return -(-to_ms(kept, "metrics", minimum=_MINUTE_MS, maximum=_LONGEST_METRICS_MS) // _MINUTE_MS)


def _limiter(limiter: object) -> RateLimit | None:
    if not isinstance(limiter, RateLimit | None):
        raise BadInputError("limiter", f"{limiter!r} is not a RateLimit")
    return limiter


def _policy(options: WorkerOptions) -> Policy:
    cap = options.get("max_backoff")
    most, backoff = options.get("max_attempts"), options.get("backoff")
    strategy = options.get("backoff_strategy")
    if not isinstance(backoff, Backoff | None):
        raise BadInputError("backoff", f"{backoff!r} is not a Backoff")
    return Policy(
        max_attempts=None if most is None else check_whole(most, "max_attempts", 1, MOST_ATTEMPTS),
        backoff=backoff,
        backoff_strategy=None if strategy is None else check_plain(strategy, "backoff_strategy"),
        may_retry=retry_policy_of(options.get("retry_policy", "default")),
        backoff_cap_ms=DEFAULT_CAP_MS if cap is None else to_ms(cap, "max_backoff"),
        keep_completed=_kept(options.get("remove_on_complete"), "remove_on_complete"),
        keep_failed=_kept(options.get("remove_on_fail"), "remove_on_fail"),
    )


def _kept(keep: bool | int | Keep | None, field: str) -> KeepRule:
    if keep is None or isinstance(keep, bool):
        return KeepRule(count=0) if keep else KeepRule()
    if isinstance(keep, Keep):
        return keep.rule(field)
    return KeepRule(count=check_whole(keep, field, 0, MOST_KEPT))
