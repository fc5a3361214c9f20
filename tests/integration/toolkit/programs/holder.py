"""A process in which many tasks hold a permit for a moment, again and again.

They write into a file when they begin to, and when they are about to end; the times are those of
a clock that all processes share.
"""

import asyncio
import os
import random
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from toril.toolkit import AsyncLease, AsyncSemaphore, LeaseLostError


async def hold(url: str, path: str, tasks: int, permits: int, ttl: float) -> None:
    semaphore = AsyncSemaphore("press", url, permits=permits, ttl=ttl)
    journal = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def note(lease: AsyncLease) -> None:
        """It is valid now, and until its deadline if it is heard of no more."""
        now = time.monotonic()
        lease.check()
        line = f"{os.getpid()} {lease.token} {now:.6f} {lease.deadline:.6f}\n"
        os.write(journal, line.encode())

    async def work() -> None:
        while True:
            with suppress(LeaseLostError):
                async with semaphore.hold() as lease:
                    note(lease)
                    await asyncio.sleep(random.uniform(0, 0.02))  # noqa: TID251 - work
                    note(lease)

    await asyncio.gather(*(work() for _ in range(tasks)))


def main(options: Mapping[str, Any]) -> int:
    asyncio.run(hold(**options))
    return 0
