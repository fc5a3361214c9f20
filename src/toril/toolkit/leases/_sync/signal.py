"""Something that is set in any thread and waited for in one's own way.

A hand-written pair with `_async/signal.py`.
"""

import math
import threading
from collections.abc import Callable
from typing import Final

from toril.toolkit.background import is_here


class Signal:
    """Waited for by blocking the thread."""

    def __init__(self) -> None:
        self._event: Final = threading.Event()

    def set(self) -> None:
        """Wake whoever waits; from any thread."""
        self._event.set()

    def is_set(self) -> bool:
        """Whether it was set."""
        return self._event.is_set()

    def clear(self) -> None:
        """Wait for the next time."""
        self._event.clear()

    def wait(self, within_s: float = math.inf) -> bool:
        """Wait until it is set; False when it was not in time."""
        return self._event.wait(None if within_s == math.inf else within_s)


def at_home(callback: Callable[[], object]) -> Callable[[], object]:
    """The callback as other threads may call it: in theirs, but never in the background.

    There it has a thread of its own: while it blocks, leases are to be renewed.
    """

    def call() -> None:
        if is_here():
            threading.Thread(target=callback, name="toril lost", daemon=True).start()
        else:
            callback()

    return call
