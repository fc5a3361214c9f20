"""A request to stop, from any thread or signal handler: it only ever becomes more urgent."""

import asyncio
from enum import Enum, auto

from toril.runtime.thread_calls import call_in


class Urgency(Enum):
    """How soon to stop."""

    DRAIN = auto()
    AT_ONCE = auto()


class StopRequest:
    """What was asked, and a way to wait for it on one loop.

    No lock: a signal handler may interrupt whoever would hold it. The two flags only ever become
    true, and whoever sets one looks for the loop afterwards, whoever waits looks at the flags
    after the loop is known.
    """

    def __init__(self) -> None:
        self._is_draining = False
        self._is_urgent = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._raised = asyncio.Event()

    def ask(self, urgency: Urgency) -> None:
        """Ask for this much urgency, at least."""
        self._is_draining = True
        if urgency is Urgency.AT_ONCE:
            self._is_urgent = True
        if self._loop is not None:
            call_in(self._loop, self._raised.set)

    async def reached(self, urgency: Urgency) -> None:
        """Wait until this much urgency was asked for."""
        self._loop = asyncio.get_running_loop()
        while not self.has_reached(urgency):
            self._raised.clear()
            await self._raised.wait()

    def has_reached(self, urgency: Urgency) -> bool:
        """Whether this much urgency was asked for."""
        return self._is_urgent if urgency is Urgency.AT_ONCE else self._is_draining
