"""Something that is set in any thread and waited for in one's own way.

A hand-written pair with `_async/signal.py`.
"""

import math
import threading
from typing import Final


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
