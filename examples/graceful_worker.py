"""A worker process that stops in good order, and counts what it did by its events.

    python examples/graceful_worker.py redis://localhost:6379

Stop it with Ctrl-C. Without an address it runs on a private server of its own, adds a few jobs
and, when they are under way, sends itself the signal that a process manager would send.
"""

import asyncio
import os
import signal
import sys
from collections import Counter

from toril import AsyncJob, AsyncQueue, AsyncWorker
from toril.telemetry.emitter import Emitter
from toril.telemetry.events import (
    Event,
    JobClaimed,
    JobCompleted,
    JobGivenBack,
    WorkerDraining,
    WorkerStopped,
)

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"
SHORT, LONG = 0.2, 60.0

claimed: Counter[str] = Counter()


def tell(event: Event) -> None:
    """Print what a log or a dashboard would want to know."""
    match event:
        case JobClaimed(worker=worker):
            claimed[worker] += 1
            if claimed[worker] == 2 and SERVER == "embedded://":
                os.kill(os.getpid(), signal.SIGTERM)
        case WorkerDraining(running=running):
            print(f"draining: {running} jobs are running")
        case JobCompleted(job_id=job_id):
            print(f"job {job_id} is done")
        case JobGivenBack(job_id=job_id):
            print(f"job {job_id} goes back to the queue")
        case WorkerStopped(given_back=given_back):
            print(f"stopped; {given_back} job given back")
        case _:
            pass


async def work(job: AsyncJob) -> None:
    """Take as long as the job says."""
    match job.data:
        case float(takes_s):
            await asyncio.sleep(takes_s)
        case _:
            raise ValueError("this job is not for me")


async def main() -> None:
    """The short job finishes while the worker drains; the long one is given back."""
    async with AsyncQueue("chores", SERVER) as queue:
        if SERVER == "embedded://":
            await queue.add_many([("short", SHORT), ("long", LONG), ("later", SHORT)])
        worker = AsyncWorker(
            "chores", work, SERVER, concurrency=2, drain_timeout=0.6, emitter=Emitter(tell)
        )
        await worker.run()
        counts = await queue.counts()
        print(f"{counts.completed} completed, {counts.waiting} waiting")


asyncio.run(main())

# Prints:
# draining: 2 jobs are running
# job 1 is done
# job 2 goes back to the queue
# stopped; 1 job given back
# 1 completed, 2 waiting
