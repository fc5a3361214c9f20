"""Wait for the first of several things, and leave nothing behind."""

import asyncio
from collections.abc import Coroutine
from typing import Final

_LAST_MOMENT_S: Final = 1.0


async def race(
    *contestants: Coroutine[object, object, None], timeout_s: float | None = None
) -> None:
    """Run them until the first is over or the time is; cancel the others.

    Raises:
        Exception: what the first one raised.
    """
    tasks = {asyncio.ensure_future(contestant) for contestant in contestants}
    try:
        done, _ = await asyncio.wait(tasks, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        await cancel(tasks)
    for task in done:
        task.result()


async def cancel(tasks: set[asyncio.Task[None]]) -> None:
    """Cancel these and wait for their end, but not for ever."""
    running = {task for task in tasks if not task.done()}
    for task in running:
        task.cancel()
    if running:
        await asyncio.wait(running, timeout=_LAST_MOMENT_S)
