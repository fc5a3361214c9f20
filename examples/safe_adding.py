"""A payment that is reported three times, by three programs, and makes one job.

    python examples/safe_adding.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys

from toril import AsyncJob, AsyncQueue, AsyncWorker

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"


async def write_receipt(job: AsyncJob) -> str:
    """Done once for each payment."""
    return f"receipt for {job.data['payment']}"


async def payment_reported(payment: str) -> AsyncJob:
    """What a webhook does; payment providers call it again until somebody says that it is done."""
    async with AsyncQueue("receipts", SERVER) as queue:
        return await queue.add("receipt", {"payment": payment}, idempotency_key=payment)


async def main() -> None:
    """Three reports at once, one after the job has ended, and one job in all."""
    async with AsyncQueue("receipts", SERVER) as queue, asyncio.TaskGroup() as tasks:
        worker = AsyncWorker("receipts", write_receipt, SERVER)
        jobs = await asyncio.gather(*(payment_reported("pay-2026-7") for _ in range(3)))
        print("new jobs:", [job.created for job in jobs].count(True))

        tasks.create_task(worker.run())
        job = await queue.get_job(jobs[0].id)
        assert job is not None
        print(await job.result(timeout=10))

        late = await payment_reported("pay-2026-7")
        print("a late report made a job:", late.created)
        print("completed:", (await queue.counts()).completed)
        worker.close()


asyncio.run(main())

# Prints:
# new jobs: 1
# receipt for pay-2026-7
# a late report made a job: False
# completed: 1
