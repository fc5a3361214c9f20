"""Ten tasks that want one lock all the time, and write down when they hold it."""

import asyncio
import os
import random
import signal
from collections.abc import Mapping
from time import monotonic
from typing import Any, Final

from tests.support.journal import Journal

from toril.core.errors import OutcomeUnknownError, UnavailableError
from toril.telemetry.emitter import Emitter
from toril.toolkit import AsyncLock, LeaseLostError

TASKS: Final = 10
TTL_S: Final = 2.0
NAME: Final = "contended"

_LONGEST_HOLD_S: Final = 0.01


async def contend(lock: AsyncLock, journal: Journal, ends: asyncio.Event) -> None:
    """Hold it, check it, let it go, again and again."""
    dice = random.Random()
    while not ends.is_set():
        asked, fence = monotonic(), 0
        try:
            async with lock.hold() as lease:
                fence = lease.fence
                waited = f"{monotonic() - asked:.3f}"
                journal.write("held", NAME, number=lease.fence, note=waited)
                await asyncio.sleep(dice.random() * _LONGEST_HOLD_S)
                lease.check()
                journal.write("left", NAME, number=lease.fence)
        except LeaseLostError:
            journal.write("lost it", NAME, number=fence)
        except (UnavailableError, OutcomeUnknownError):
            journal.write("unheld", NAME)


async def serve(options: Mapping[str, Any], journal: Journal) -> None:
    """Until somebody asks to end."""
    ends = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ends.set)
    lock = AsyncLock(NAME, options["url"], ttl=TTL_S, emitter=Emitter())
    journal.write("ready", options["name"], number=os.getpid())
    await asyncio.gather(*(contend(lock, journal, ends) for _ in range(TASKS)))
    await lock.close()


def main(options: Mapping[str, Any]) -> int:
    """What the nursery calls."""
    with Journal(options["journal"]) as journal:
        asyncio.run(serve(options, journal))
    return 0
