"""The few things that wait. A hand-written pair with `_sync/pause.py`."""

import asyncio
from asyncio import Semaphore as AsyncSemaphore
from collections.abc import Callable
from typing import TypeVar

R = TypeVar("R")

__all__ = ["AsyncSemaphore", "in_thread", "sleep"]


async def sleep(seconds: float) -> None:
    """Let time pass."""
    await asyncio.sleep(seconds)


async def in_thread(function: Callable[[], R]) -> R:
    """Call something slow without holding up the loop."""
    return await asyncio.to_thread(function)
