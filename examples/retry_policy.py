"""Which failures are worth another attempt, and how long to wait for it: decided by the worker.

    python examples/retry_policy.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys
from datetime import timedelta

from toril import AsyncJob, AsyncQueue, AsyncWorker, CustomBackoff, Failure, is_transient
from toril.core.errors import JobFailedError

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"


class RefusedError(Exception):
    """The answer of a service, as a client of HTTP raises it."""

    def __init__(self, status: int) -> None:
        super().__init__(f"the service answered {status}")
        self.status = status


async def call(job: AsyncJob) -> str:
    """Be answered with each of these statuses in turn."""
    statuses: list[int] = job.data
    if job.attempts_made < len(statuses):
        raise RefusedError(statuses[job.attempts_made])
    return f"done at attempt {job.attempts_made + 1}"


def worth_another(failure: Failure) -> bool:
    """A conflict is over soon, too."""
    return is_transient(failure.error) or getattr(failure.error, "status", 0) == 409


def pause(failure: Failure) -> timedelta | None:
    """A little longer each time."""
    match failure.backoff:
        case CustomBackoff("linear", timedelta() as step):
            return failure.attempts * step
        case _:
            return None


async def main() -> None:
    """Make some calls, and say what became of each."""
    worker = AsyncWorker(
        "calls", call, SERVER, retry_policy=worth_another, backoff_strategy=pause, max_backoff=60
    )
    linear = CustomBackoff("linear", delay=0.01)
    async with AsyncQueue("calls", SERVER) as queue, worker:
        for statuses in ([], [503, 429], [409], [404], [503, 503, 503]):
            job = await queue.add("call", statuses, attempts=3, backoff=linear)
            try:
                print(statuses, await job.result(timeout=10))
            except JobFailedError as error:
                print(statuses, "failed:", error.reason)


asyncio.run(main())

# Prints:
# [] done at attempt 1
# [503, 429] done at attempt 3
# [409] done at attempt 2
# [404] failed: the service answered 404
# [503, 503, 503] failed: the service answered 503
