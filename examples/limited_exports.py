"""Six exports from many places, no more than two at a time.

    python examples/limited_exports.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys

from toril.connection import AsyncConnection
from toril.toolkit import AsyncSemaphore

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"


async def main() -> None:
    """Run all of them, and say how many ran at once."""
    running = most = 0

    async def export(semaphore: AsyncSemaphore) -> None:
        nonlocal running, most
        async with semaphore.hold() as lease:
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.05)
            lease.check()  # stop here if the permit is somebody else's by now
            running -= 1

    async with AsyncConnection(SERVER) as connection:
        semaphore = AsyncSemaphore("exports", connection, permits=2)
        await asyncio.gather(*(export(semaphore) for _ in range(6)))
        print(f"at most {most} at once")
        print(f"{(await semaphore.info()).holders} permits are held")


asyncio.run(main())

# Prints:
# at most 2 at once
# 0 permits are held
