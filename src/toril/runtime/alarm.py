"""The engine's own timer for work the store knows will come.

A blocking read of a quiet server ends up to 100 ms after its timeout, and only in one worker;
so whoever is told when a delayed job comes due, sees to it.
"""

import asyncio
from collections.abc import Callable
from typing import Final

_FLOOR_MS: Final = 2
_CEILING_MS: Final = 1_000
_SAME_S: Final = 0.001


class Alarm:
    """One timer, set by the newest answer of the store.

    A store that says "due now" again and again, without giving anything, is asked less and less
    often: each such answer doubles the wait. Jobs that come due one close after the other are
    another matter: there the answers give something, or say a later moment.
    """

    def __init__(self, ring: Callable[[], None]) -> None:
        self._ring = ring
        self._handle: asyncio.TimerHandle | None = None
        self._least_ms = _FLOOR_MS

    def set(self, in_ms: int | None, *, gave: bool) -> None:
        """Ring in `in_ms`; None leaves the timer as it is, for the store may not have looked.

        `gave` says whether the same answer brought jobs.
        """
        if in_ms is None:
            return
        if gave or in_ms >= _FLOOR_MS:
            self._least_ms = _FLOOR_MS
        wait_ms = max(in_ms, self._least_ms)
        if not gave and in_ms < _FLOOR_MS:
            self._least_ms = min(self._least_ms * 2, _CEILING_MS)
        loop = asyncio.get_running_loop()
        when = loop.time() + wait_ms / 1_000
        if self._handle is not None:
            if abs(self._handle.when() - when) < _SAME_S:
                return
            self._handle.cancel()
        self._handle = loop.call_at(when, self._fire)

    def cancel(self) -> None:
        """Never ring for what was said until now."""
        if self._handle is not None:
            self._handle.cancel()
            self._handle = None

    def _fire(self) -> None:
        self._handle = None
        self._ring()
