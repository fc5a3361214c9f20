"""Who is told that a lease was lost, and where. A hand-written pair with `_sync/listener.py`."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final

from toril.runtime.thread_calls import call_in
from toril.toolkit.leases.hold import others_spared

_HEARING: Final[set[asyncio.Task[None]]] = set()
"""A loop alone does not keep its tasks."""


def at_home(callback: Callable[[], object]) -> Callable[[], object]:
    """The callback as other threads may call it: it runs in the event loop of this moment."""
    return partial(call_in, asyncio.get_running_loop(), callback)


def check_listener(listener: object) -> None:
    """Any function will do here: what is to be awaited is awaited."""
    del listener


def tell(listener: Callable[[], object], name: str) -> None:
    """Call it at home; a coroutine goes on in a task of its own."""
    with others_spared(name):
        result = listener()
        if inspect.isawaitable(result):
            task = asyncio.create_task(_hear_out(result, name))
            _HEARING.add(task)
            task.add_done_callback(_HEARING.discard)


async def _hear_out(result: Awaitable[object], name: str) -> None:
    with others_spared(name):
        await result
