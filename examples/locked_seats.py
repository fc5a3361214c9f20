"""Three clerks sell the seats of one train, and no seat twice.

    python examples/locked_seats.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys

from toril.connection import AsyncConnection
from toril.toolkit import AsyncFence, AsyncLock, StaleFenceError

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"

free_seats = list(range(1, 10))
sold: list[int] = []


async def sell(clerk: int, connection: AsyncConnection) -> int:
    """Look, think, and sell: without a lock two clerks would think of the same seat."""
    sales = 0
    lock = AsyncLock("train:7", connection, label=f"clerk {clerk}", fair=True)
    while True:
        async with lock.hold(wait=10) as lease:
            if not free_seats:
                return sales
            seat = free_seats[0]
            await asyncio.sleep(0.01)
            lease.check()
            free_seats.remove(seat)
            sold.append(seat)
            sales += 1


async def main() -> None:
    """Nine seats, three clerks, and one who comes too late."""
    async with AsyncConnection(SERVER) as connection:
        sales = await asyncio.gather(*(sell(clerk, connection) for clerk in range(3)))
        print("sold:", *sold)
        print("each sold:", *sales)

        lock, fence = AsyncLock("train:7", connection), AsyncFence(connection)
        async with lock.hold() as early:
            pass
        async with lock.hold() as late:
            await fence.check("train:7", late.fence)
        try:
            await fence.check("train:7", early.fence)
        except StaleFenceError as error:
            print("stale:", error.fence == early.fence)


asyncio.run(main())

# Prints:
# sold: 1 2 3 4 5 6 7 8 9
# each sold: 3 3 3
# stale: True
