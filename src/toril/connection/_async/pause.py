"""The few things that wait, and where they do. A hand-written pair with `_sync/pause.py`."""

import asyncio
import math
from asyncio import Semaphore as AsyncSemaphore
from collections.abc import Callable, Coroutine
from typing import TypeVar

R = TypeVar("R")

__all__ = ["AsyncSemaphore", "enter", "home", "in_thread", "sleep", "together"]


async def sleep(seconds: float) -> None:
    """Let time pass."""
    await asyncio.sleep(seconds)


async def enter(room: AsyncSemaphore, within_s: float) -> bool:
    """Wait for a place; False when there was none in time."""
    if not room.locked() or within_s == math.inf:
        return await room.acquire()
    try:
        async with asyncio.timeout(within_s):
            return await room.acquire()
    except TimeoutError:
        return False


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
