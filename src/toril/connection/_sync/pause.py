"""The few things that wait, and where they do. A hand-written pair with `_async/pause.py`."""

import math
from collections.abc import Callable
from queue import Empty, SimpleQueue
from time import sleep
from typing import Final, TypeVar

R = TypeVar("R")

__all__ = ["Places", "home", "in_thread", "sleep", "together"]


class Places:
    """So many places: who comes when all are taken waits in line."""

    def __init__(self, count: int) -> None:
        self._free: Final = SimpleQueue[None]()
        for _ in range(count):
            self._free.put(None)

    def enter(self, within_s: float) -> bool:
        """Take a place, or wait for one; False when there was none in time."""
        try:
            self._free.get(timeout=None if within_s == math.inf else within_s)
        except Empty:
            return False
        return True

    def leave(self) -> None:
        """Give a place back."""
        self._free.put(None)


def home() -> object:
    """What the caller runs in, where that makes a difference: any thread will do."""
    return None


def in_thread(function: Callable[[], R]) -> R:
    """Call something slow; the thread is the caller's."""
    return function()


def together(errands: list[Callable[[], None]]) -> None:
    """Do all of these; a thread does one thing at a time."""
    for errand in errands:
        errand()
