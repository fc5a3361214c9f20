"""Add a job, work it and read its result, on asyncio.

    python examples/hello_async.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys

from toril import AsyncJob, AsyncQueue, AsyncWorker

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"


async def greet(job: AsyncJob) -> str:
    """Is called for every job; what it returns is the job's result."""
    return f"hello, {job.data}"


async def main() -> None:
    """Run a worker beside the program that adds jobs; usually they are two programs."""
    worker = AsyncWorker("hello-async", greet, SERVER, concurrency=2)
    async with AsyncQueue("hello-async", SERVER) as queue, asyncio.TaskGroup() as tasks:
        tasks.create_task(worker.run())
        jobs = [await queue.add("greet", name) for name in ("Ada", "Grace", "Barbara")]
        for job in jobs:
            print(await job.result(timeout=10))
        worker.close()


asyncio.run(main())

# Prints:
# hello, Ada
# hello, Grace
# hello, Barbara
