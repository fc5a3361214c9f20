"""A limited API: a caller who asks too often is told when to return, and one who is patient waits.

    python examples/rate_limits.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys

from toril import AsyncConnection
from toril.toolkit import AsyncRateLimiter, Limit, LimitExceededError

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"


async def main() -> None:
    """Three limiters on one connection."""
    async with AsyncConnection(SERVER) as connection:
        api = AsyncRateLimiter("api", Limit("2/minute", algorithm="sliding_log"), connection)
        printer = AsyncRateLimiter("printer", Limit("50/second", burst=1), connection)
        tokens = AsyncRateLimiter("tokens", Limit("100/day", algorithm="sliding_log"), connection)

        @api.limit(key="user:{user}")
        async def search(user: str, words: str) -> str:
            return f"{user} finds {words}"

        for words in ("redis", "valkey", "locks"):
            try:
                print(await search("ada", words))
            except LimitExceededError as refused:
                print(f"refused by {refused.limit}")
        print(await search("bob", "queues"))

        pages = [printer.acquire("first floor", timeout=5) for _ in range(5)]
        granted = await asyncio.gather(*pages)
        print(f"{len(granted)} pages, the last one after {max(one.wait for one in granted):.1f} s")

        reservation = await tokens.reserve("tenant:7", 60)
        await reservation.settle(35)
        print("tokens left:", (await tokens.peek("tenant:7")).remaining)


asyncio.run(main())

# Prints:
# ada finds redis
# ada finds valkey
# refused by 2/minute
# bob finds queues
# 5 pages, the last one after 0.1 s
# tokens left: 65
