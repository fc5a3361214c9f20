"""What a handler may say: try again, later, never, or let somebody else.

    python examples/retries.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys

from toril import AsyncJob, AsyncQueue, AsyncWorker, Backoff, Delay, Discard, PermanentError, Retry
from toril.core.errors import JobFailedError

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"


async def deliver(job: AsyncJob) -> str:
    """Behave as the address asks for."""
    match job.data:
        case "flaky" if job.attempts_made < 2:
            raise ConnectionError("connection reset")  # another attempt, after the job's backoff
        case "busy" if job.attempts_made < 1:
            raise Retry("come back later", delay=0.05)  # another attempt, after this pause
        case "closed" if job.record.attempts_started < 2:
            raise Delay(until=0.05)  # not now; this does not count as an attempt
        case "unknown":
            raise PermanentError("no such address")  # no further attempt
        case "spam":
            raise Discard("we do not send that")  # the same, without an error
        case _:
            return f"delivered at attempt {job.attempts_made + 1}"


async def main() -> None:
    """Send one letter to each address and say what became of it."""
    worker = AsyncWorker("letters", deliver, SERVER)
    async with AsyncQueue("letters", SERVER) as queue, asyncio.TaskGroup() as tasks:
        tasks.create_task(worker.run())
        for address in ("open", "flaky", "busy", "closed", "unknown", "spam"):
            job = await queue.add("letter", address, attempts=5, backoff=Backoff.exponential(0.02))
            try:
                print(f"{address}: {await job.result(timeout=10)}")
            except JobFailedError as error:
                print(f"{address}: failed: {error.reason}")
        worker.close()


asyncio.run(main())

# Prints:
# open: delivered at attempt 1
# flaky: delivered at attempt 3
# busy: delivered at attempt 2
# closed: delivered at attempt 1
# unknown: failed: no such address
# spam: failed: we do not send that
