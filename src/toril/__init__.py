"""toril: job queues and coordination on Redis, on the wire of BullMQ."""

from toril.bullmq import (
    AsyncClaims,
    AsyncJob,
    AsyncQueue,
    AsyncQueueEvents,
    AsyncWorker,
    Cancellation,
    Claims,
    Counts,
    CustomBackoff,
    Deduplication,
    Failure,
    Job,
    JobOptions,
    Keep,
    Queue,
    QueueEvents,
    RateLimit,
    StopReason,
    Worker,
    WorkerOptions,
)
from toril.connection import AsyncConnection, Connection
from toril.core.backoff import Backoff
from toril.core.errors import PermanentError, TorilError, TransientError
from toril.core.ids import hash_tag
from toril.core.outcome import Delay, Discard, GiveBack, RateLimited, Retry, WaitForChildren
from toril.core.transience import is_transient
from toril.core.version import VERSION

__version__ = VERSION

__all__ = [
    "AsyncClaims",
    "AsyncConnection",
    "AsyncJob",
    "AsyncQueue",
    "AsyncQueueEvents",
    "AsyncWorker",
    "Backoff",
    "Cancellation",
    "Claims",
    "Connection",
    "Counts",
    "CustomBackoff",
    "Deduplication",
    "Delay",
    "Discard",
    "Failure",
    "GiveBack",
    "Job",
    "JobOptions",
    "Keep",
    "PermanentError",
    "Queue",
    "QueueEvents",
    "RateLimit",
    "RateLimited",
    "Retry",
    "StopReason",
    "TorilError",
    "TransientError",
    "WaitForChildren",
    "Worker",
    "WorkerOptions",
    "__version__",
    "hash_tag",
    "is_transient",
]
