"""Several calls at the same time. A hand-written pair with `_sync/together.py`."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import TypeVar

R = TypeVar("R")


async def together(calls: Sequence[Callable[[], Coroutine[object, object, R]]]) -> list[R]:
    """Begin all, wait for all; what they return, in order."""
    return await asyncio.gather(*(call() for call in calls))
