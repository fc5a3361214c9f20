"""A payment that is asked for three times and made once.

    python examples/run_once.py redis://localhost:6379

Without an address it runs on a private server of its own.
"""

import asyncio
import sys

from toril.connection import AsyncConnection
from toril.toolkit import AsyncOnce

SERVER = sys.argv[1] if len(sys.argv) > 1 else "embedded://"


async def charge() -> dict[str, int]:
    """Charge a card, slowly."""
    print("charging the card")
    await asyncio.sleep(0.1)
    return {"receipt": 17}


async def main() -> None:
    """Ask for the same payment from three places at the same time."""
    async with AsyncConnection(SERVER) as connection:
        payments = AsyncOnce("payments", connection, ttl=3_600)
        await payments.forget("order:7")
        for result in await asyncio.gather(*(payments.run("order:7", charge) for _ in range(3))):
            print(result)


asyncio.run(main())

# Prints:
# charging the card
# {'receipt': 17}
# {'receipt': 17}
# {'receipt': 17}
