"""Turns of the event loop, and calls that are broken off at any of them."""

import asyncio
import random
from collections.abc import Coroutine
from contextlib import suppress
from typing import Final

_DICE: Final = random.Random(7)


async def turns(count: int) -> None:
    """Let the loop go round."""
    for _ in range(count):
        await asyncio.sleep(0)


async def break_off(call: Coroutine[object, object, object], after: int) -> None:
    """Cancel it after some turns of the loop, and half the time after a moment more."""
    task = asyncio.create_task(call)
    await turns(after)
    if _DICE.random() < 0.5:
        await asyncio.wait([task], timeout=_DICE.random() / 1_000)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
