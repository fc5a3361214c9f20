"""What is in a queue, who works it, and what limits hold: a report that a page could show.

    python examples/queue_report.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys
from contextlib import suppress
from dataclasses import asdict

from toril import AsyncJob, AsyncQueue, AsyncWorker, PermanentError
from toril.core.errors import JobFailedError

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"


async def handle(job: AsyncJob) -> None:
    """Some jobs cannot be done."""
    if job.name == "broken":
        raise PermanentError(f"there is no report {job.data['report']}")


async def report(queue: AsyncQueue) -> None:
    """Look, and change nothing."""
    counts = asdict(await queue.counts())
    print({state: count for state, count in counts.items() if count})
    print("by priority:", await queue.jobs.counts_per_priority(1, 2))
    for job in await queue.jobs.list("prioritized", limit=2):
        print("next:", job.name, job.data)
    for job in await queue.jobs.list("failed"):
        print("failed:", job.name, "because", job.record.failed_reason)
    for worker in await queue.workers.list():
        print("worker:", worker.name)
    throughput = await queue.metrics.read()
    print("completed in this minute and before:", throughput.open_count, throughput.per_minute)
    print("limit:", await queue.limits.global_concurrency())


async def main() -> None:
    """One worker, which has got done what it can before the next jobs come."""
    async with AsyncQueue("reports", SERVER) as queue:
        await queue.limits.set_global_concurrency(2)
        await queue.add("daily", {"report": 1})
        broken = await queue.add("broken", {"report": 2})
        async with AsyncWorker("reports", handle, SERVER, name="reports-1", metrics=3600) as worker:
            with suppress(JobFailedError):
                await broken.result(timeout=10)
            worker.pause()
            await queue.add("yearly", {"report": 3}, priority=2)
            await queue.add("monthly", {"report": 4}, priority=1)
            await report(queue)


asyncio.run(main())

# Prints:
# {'prioritized': 2, 'completed': 1, 'failed': 1}
# by priority: {1: 1, 2: 1}
# next: monthly {'report': 4}
# next: yearly {'report': 3}
# failed: broken because there is no report 2
# worker: reports-1
# completed in this minute and before: 1 []
# limit: 2
