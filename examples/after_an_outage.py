"""A mail server is down: pause the queue, repair, run again what failed, and tidy up.

    python examples/after_an_outage.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys

from toril import AsyncJob, AsyncQueue, AsyncWorker

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"

mail_server_is_up = asyncio.Event()


async def send(job: AsyncJob) -> str:
    """Fail as long as the mail server is down."""
    if not mail_server_is_up.is_set():
        raise ConnectionError("the mail server does not answer")
    return f"sent to {job.data}"


async def all_ended(jobs: list[AsyncJob]) -> None:
    """Wait for each, however it ends."""
    await asyncio.gather(*(job.result(timeout=10) for job in jobs), return_exceptions=True)


async def main() -> None:
    """Nothing that was added gets lost."""
    worker = AsyncWorker("mail", send, SERVER, concurrency=10)
    async with AsyncQueue("mail", SERVER) as queue, asyncio.TaskGroup() as tasks:
        tasks.create_task(worker.run())
        customers = [f"customer {number}" for number in range(20)]
        jobs = await queue.add_many(("welcome", who, {"attempts": 1}) for who in customers)
        await all_ended(jobs)

        await queue.pause()
        jobs.append(await queue.add("welcome", "one more"))
        print("failed:", (await queue.counts()).failed, "paused:", (await queue.counts()).paused)

        mail_server_is_up.set()
        print("run again:", await queue.jobs.retry_all())
        await queue.resume()
        await all_ended(jobs)
        print(await jobs[-1].result())

        print("cleaned:", len(await queue.jobs.clean("completed")))
        worker.close()


asyncio.run(main())

# Prints:
# failed: 20 paused: 1
# run again: 20
# sent to one more
# cleaned: 21
