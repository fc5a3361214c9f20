"""Clocks for tests: one that goes by itself, one that stands still until it is told to go."""

from collections.abc import Callable
from time import time
from typing import Final, Protocol

from toril.core.durations import Duration, to_ms

_NEW_CENTURY_MS: Final = 946_684_800_000


class Clock(Protocol):
    """Something that knows the time."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        ...

    def on_advance(self, callback: Callable[[], None]) -> None:
        """Call this whenever time jumps."""
        ...


class SystemClock:
    """The time of this machine."""

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return int(time() * 1_000)

    def on_advance(self, callback: Callable[[], None]) -> None:
        """It never jumps."""


class FrozenClock:
    """Stands still until `advance` is called.

    >>> clock = FrozenClock(now_ms=1_000)
    >>> clock.advance(2.5)
    >>> clock.now_ms()
    3500
    """

    def __init__(self, *, now_ms: int = _NEW_CENTURY_MS) -> None:
        self._now_ms = now_ms
        self._callbacks: list[Callable[[], None]] = []

    def now_ms(self) -> int:
        """Milliseconds since 1970."""
        return self._now_ms

    def advance(self, by: Duration) -> None:
        """Let this much time pass, and let everything happen that was due."""
        self._now_ms += to_ms(by, "by")
        for callback in self._callbacks:
            callback()

    def on_advance(self, callback: Callable[[], None]) -> None:
        """Call this whenever time jumps."""
        self._callbacks.append(callback)
