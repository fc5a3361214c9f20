"""Something that is set in any thread and waited for in one's own way.

A hand-written pair with `_sync/signal.py`.
"""

import asyncio
import math
from typing import Final

from toril.runtime.thread_calls import call_in


class AsyncSignal:
    """Waited for in the event loop in which it was made."""

    def __init__(self) -> None:
        self._loop: Final = asyncio.get_running_loop()
        self._event: Final = asyncio.Event()
        self._is_set = False

    def set(self) -> None:
        """Wake whoever waits; from any thread."""
        self._is_set = True
        call_in(self._loop, self._event.set)

    def is_set(self) -> bool:
        """Whether it was set."""
        return self._is_set

    def clear(self) -> None:
        """Wait for the next time."""
        self._is_set = False
        self._event.clear()

    async def wait(self, within_s: float = math.inf) -> bool:
        """Wait until it is set; False when it was not in time."""
        try:
            async with asyncio.timeout(None if within_s == math.inf else within_s):
                return await self._event.wait()
        except TimeoutError:
            return self._is_set
