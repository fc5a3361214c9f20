"""Work a queue that a Node.js service made: `new Queue('thumbnails')`, without braces.

    python examples/node_queue.py redis://localhost:6379

Without an address it runs on a private server of its own, and plays the Node service too.
"""

import asyncio
import sys

from toril import AsyncJob, AsyncQueue, AsyncWorker
from toril.core.errors import QueueNameAmbiguousError

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"


async def resize(job: AsyncJob) -> dict[str, object]:
    """Return what Node's `job.waitUntilFinished` resolves to."""
    await job.log(f"resizing {job.data}")
    return {"resized": job.data}


async def main() -> None:
    """See that the wrong spelling is noticed, then work the right queue."""
    async with AsyncQueue("thumbnails", SERVER, hash_tag=False) as as_node_does:
        # What Node stores for `queue.add('resize', { width: 320 })`: one attempt, no backoff.
        job = await as_node_does.add("resize", {"width": 320}, attempts=0, backoff=None)

        try:
            async with AsyncQueue("thumbnails", SERVER) as braced:
                await braced.counts()
        except QueueNameAmbiguousError as error:
            print(f"{error.wanted} is not there, but {error.existing} is")

        worker = AsyncWorker("thumbnails", resize, SERVER, hash_tag=False)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(worker.run())
            print(await job.result(timeout=10))
            worker.close()


asyncio.run(main())

# Prints:
# bull:{thumbnails}: is not there, but bull:thumbnails: is
# {'resized': {'width': 320}}
