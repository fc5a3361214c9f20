"""What can be said about jobs that are taken by hand."""

from typing import TypedDict

from toril.bullmq.keep import Keep
from toril.bullmq.rate_limit import RateLimit
from toril.bullmq.worker.retry_policy import BackoffStrategy, RetryPolicy
from toril.core.backoff import Backoff
from toril.core.durations import Duration
from toril.telemetry.emitter import Emitter


class ClaimOptions(TypedDict, total=False):
    """Those of a worker's options that are about its queue and not about its handler."""

    name: str
    """Stored with every job that is taken; by default host, process and a random part."""

    lock: Duration
    """How long the queue keeps a job for its taker without hearing from it; 30 s."""

    stalled_interval: Duration
    """Between two checks for jobs of lost workers; 30 s."""

    max_stalled: int
    """How often a job may be lost with its worker before it is failed; 3."""

    max_started: int
    """How often a job may be started in all before it is failed; no limit by default."""

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
    """How many jobs all that have this limit start in a period."""

    metrics: Duration
    """For how long back the jobs that ended are counted minute by minute; not by default."""

    remove_on_complete: bool | int | Keep
    """Which completed jobs stay, for jobs that do not say."""

    remove_on_fail: bool | int | Keep
    """Which failed jobs stay, for jobs that do not say."""

    emitter: Emitter
    """Who hears of events, instead of the standard library's logging."""
