"""Two printers take turns by the word of three servers, one of which goes away meanwhile.

    python examples/several_servers.py redis://one:6379 redis://two:6379 redis://three:6379

Without addresses it runs on private servers of its own.
"""

import asyncio
import sys
from contextlib import AsyncExitStack
from tempfile import TemporaryDirectory

from toril.connection import AsyncConnection
from toril.toolkit import AsyncRedlock

NAMES = ("one", "two", "three")

printed: list[str] = []


async def print_pages(name: str, servers: list[AsyncConnection]) -> None:
    """Print three pages; nobody prints between them."""
    lock = AsyncRedlock("paper", servers, ttl=1)
    async with lock.hold(wait=10) as lease:
        for _ in range(3):
            lease.check()
            printed.append(name)
            await asyncio.sleep(0.01)
    await lock.close()


async def main() -> None:
    """Print with all servers, then with two of three."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory())
        addresses = sys.argv[1:] or [f"embedded://{folder}/{name}" for name in NAMES]
        servers = [await stack.enter_async_context(AsyncConnection(url)) for url in addresses]
        await asyncio.gather(*(print_pages(name, servers) for name in "AB"))
        print("in turn:", "".join(printed) in ("AAABBB", "BBBAAA"))

        away = AsyncConnection("redis://127.0.0.1:1")
        await stack.enter_async_context(away)
        printed.clear()
        await print_pages("C", [*servers[:2], away])
        print("with two of three:", *printed)


asyncio.run(main())

# Prints:
# in turn: True
# with two of three: C C C
