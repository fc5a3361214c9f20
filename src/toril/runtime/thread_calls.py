"""Calls from other threads into an event loop."""

import asyncio
from collections.abc import Callable
from typing import TypeVarTuple

Ts = TypeVarTuple("Ts")


def call_in(loop: asyncio.AbstractEventLoop, callback: Callable[[*Ts], object], *args: *Ts) -> None:
    """Call `callback` soon in `loop`; a loop that is closed has nobody left to tell."""
    try:
        loop.call_soon_threadsafe(callback, *args)
    except RuntimeError:
        if not loop.is_closed():
            raise
