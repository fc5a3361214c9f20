"""The few things that wait, and where they do. A hand-written pair with `_sync/pause.py`."""

import asyncio
import math
from collections.abc import Callable, Coroutine
from typing import Final, TypeVar

R = TypeVar("R")


class AsyncPlaces:
    """So many places: who comes when all are taken waits in line."""

    def __init__(self, count: int) -> None:
        self._free = count
        self._in_line = 0
        # What is left while somebody is in line; it may stay here, for the next who finds none.
        self._handed_on: Final = asyncio.Semaphore(0)

    async def enter(self, within_s: float) -> bool:
        """Take a place, or wait for one; False when there was none in time."""
        if self._free:
            self._free -= 1
            return True
        self._in_line += 1
        try:
            async with asyncio.timeout(None if within_s == math.inf else within_s):
                return await self._handed_on.acquire()
        except TimeoutError:
            return False
        finally:
            self._in_line -= 1

    def leave(self) -> None:
        """Give a place back."""
        if self._in_line:
            self._handed_on.release()
        else:
            self._free += 1


async def sleep(seconds: float) -> None:
    """Let time pass."""
    await asyncio.sleep(seconds)


def home() -> object:
    """What the caller runs in, where that makes a difference: the event loop."""
    return asyncio.get_running_loop()


async def in_thread(function: Callable[[], R]) -> R:
    """Call something slow without holding up the loop."""
    return await asyncio.to_thread(function)


async def together(errands: list[Callable[[], Coroutine[object, object, None]]]) -> None:
    """Do all of these at the same time, so that none waits for another's silence."""
    if len(errands) == 1:
        await errands[0]()
    else:
        await asyncio.gather(*(errand() for errand in errands))
