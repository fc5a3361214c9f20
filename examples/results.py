"""A request that waits for jobs: many at once, progress on the way, a limit of patience.

    python examples/results.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys

from toril import AsyncJob, AsyncQueue, AsyncWorker, Keep
from toril.core.errors import ResultTimeoutError

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"


async def square(job: AsyncJob) -> int:
    """Tell how far it is, and take as long as the job says."""
    match job.data:
        case {"number": int(number), "takes_s": float(takes_s)}:
            await job.set_progress(50)
            await asyncio.sleep(takes_s)
            return number**2
        case _:
            raise ValueError("this job is not for me")


async def main() -> None:
    """Wait for ten results at once, then for one that comes too late."""
    worker = AsyncWorker("squares", square, SERVER, concurrency=10)
    async with AsyncQueue("squares", SERVER) as queue, asyncio.TaskGroup() as tasks:
        tasks.create_task(worker.run())
        jobs = await queue.add_many(
            [("square", {"number": n, "takes_s": 0.01}) for n in range(10)],
        )
        print(await asyncio.gather(*(job.result(timeout=10) for job in jobs)))

        slow = await queue.add(
            "square", {"number": 12, "takes_s": 0.8}, remove_on_complete=Keep(age=3600)
        )
        try:
            await slow.result(timeout=0.4)
        except ResultTimeoutError:
            stored = await queue.get_job(slow.id)
            assert stored is not None
            print(f"not yet, but {stored.record.progress} % are done")
        print(await slow.result(timeout=10))
        worker.close()


asyncio.run(main())

# Prints:
# [0, 1, 4, 9, 16, 25, 36, 49, 64, 81]
# not yet, but 50 % are done
# 144
