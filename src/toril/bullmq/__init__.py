"""BullMQ's queues in Python: the same keys, read and written beside Node.js services."""

from toril.bullmq._async.doctor import AsyncDoctor
from toril.bullmq._async.job import AsyncJob
from toril.bullmq._async.jobs import AsyncJobs
from toril.bullmq._async.limits import AsyncLimits
from toril.bullmq._async.metrics import AsyncMetrics
from toril.bullmq._async.queue import AsyncQueue
from toril.bullmq._async.queue_events import AsyncQueueEvents
from toril.bullmq._async.workers import AsyncWorkers
from toril.bullmq._sync.doctor import Doctor
from toril.bullmq._sync.job import Job
from toril.bullmq._sync.jobs import Jobs
from toril.bullmq._sync.limits import Limits
from toril.bullmq._sync.metrics import Metrics
from toril.bullmq._sync.queue import Queue
from toril.bullmq._sync.queue_events import QueueEvents
from toril.bullmq._sync.workers import Workers
from toril.bullmq.connected_worker import ConnectedWorker
from toril.bullmq.custom_backoff import CustomBackoff
from toril.bullmq.deduplication import Deduplication
from toril.bullmq.doctor.examination import Examination, Healed
from toril.bullmq.doctor.findings import Finding
from toril.bullmq.job_options import JobOptions, JobSpec
from toril.bullmq.keep import Keep
from toril.bullmq.operations.inspect.counts import Counts
from toril.bullmq.operations.inspect.metrics import Throughput
from toril.bullmq.operations.inspect.read_logs import LogPage
from toril.bullmq.operations.move.cancel_job import Cancellation
from toril.bullmq.rate_limit import RateLimit
from toril.bullmq.wire.job import JobRecord
from toril.bullmq.wire.state import JobState
from toril.bullmq.worker.async_claimed_job import AsyncClaimedJob
from toril.bullmq.worker.async_claims import AsyncClaims
from toril.bullmq.worker.async_worker import AsyncWorker, Handler
from toril.bullmq.worker.claim_options import ClaimOptions
from toril.bullmq.worker.claims import ClaimedJob, Claims
from toril.bullmq.worker.options import WorkerOptions
from toril.bullmq.worker.retry_policy import BackoffStrategy, Failure, RetryPolicy
from toril.bullmq.worker.worker import Worker
from toril.runtime import StopReason

__all__ = [
    "AsyncClaimedJob",
    "AsyncClaims",
    "AsyncDoctor",
    "AsyncJob",
    "AsyncJobs",
    "AsyncLimits",
    "AsyncMetrics",
    "AsyncQueue",
    "AsyncQueueEvents",
    "AsyncWorker",
    "AsyncWorkers",
    "BackoffStrategy",
    "Cancellation",
    "ClaimOptions",
    "ClaimedJob",
    "Claims",
    "ConnectedWorker",
    "Counts",
    "CustomBackoff",
    "Deduplication",
    "Doctor",
    "Examination",
    "Failure",
    "Finding",
    "Handler",
    "Healed",
    "Job",
    "JobOptions",
    "JobRecord",
    "JobSpec",
    "JobState",
    "Jobs",
    "Keep",
    "Limits",
    "LogPage",
    "Metrics",
    "Queue",
    "QueueEvents",
    "RateLimit",
    "RetryPolicy",
    "StopReason",
    "Throughput",
    "Worker",
    "WorkerOptions",
    "Workers",
]
