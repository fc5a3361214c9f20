"""The few things that wait. A hand-written pair with `_async/pause.py`."""

from collections.abc import Callable
from threading import Semaphore
from time import sleep
from typing import TypeVar

R = TypeVar("R")

__all__ = ["Semaphore", "in_thread", "sleep"]


def in_thread(function: Callable[[], R]) -> R:
    """Call something slow; the thread is the caller's."""
    return function()
