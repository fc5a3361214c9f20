"""A hundred changes, and a search index that is rebuilt twice: once, and once more after that.

    python examples/deduplicated_rebuilds.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys

from toril import AsyncJob, AsyncQueue, AsyncWorker, Deduplication

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"
REBUILD = Deduplication("rebuild", keep_last_if_active=True)

documents: list[str] = []
begun = asyncio.Event()
all_written = asyncio.Event()


async def rebuild(job: AsyncJob) -> int:
    """Index what is there when it begins; what comes later is for the next one."""
    indexed = len(documents)
    begun.set()
    await all_written.wait()
    print(f"{job.name}: {indexed} documents")
    return indexed


async def write(queue: AsyncQueue, text: str) -> AsyncJob:
    """Every change asks for a rebuild."""
    documents.append(text)
    return await queue.add("rebuild", deduplication=REBUILD)


async def main() -> None:
    """The first rebuild begins with the first document and misses the others."""
    worker = AsyncWorker("index", rebuild, SERVER, concurrency=10)
    async with AsyncQueue("index", SERVER) as queue, asyncio.TaskGroup() as tasks:
        tasks.create_task(worker.run())
        first = await write(queue, "the first")
        await begun.wait()
        for number in range(99):
            await write(queue, f"number {number}")
        all_written.set()
        await first.result(timeout=10)

        # The job that was kept is added in the moment in which the first one ends.
        job_id = await queue.deduplication_owner("rebuild")
        if job_id is not None and (last := await queue.get_job(job_id)):
            await last.result(timeout=10)
        print("rebuilt:", (await queue.counts()).completed)
        worker.close()


asyncio.run(main())

# Prints:
# rebuild: 1 documents
# rebuild: 100 documents
# rebuilt: 2
