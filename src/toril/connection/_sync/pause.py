"""The few things that wait, and where they do. A hand-written pair with `_async/pause.py`."""

import math
from collections.abc import Callable
from threading import Semaphore
from time import sleep
from typing import TypeVar

R = TypeVar("R")

__all__ = ["Semaphore", "enter", "home", "in_thread", "sleep", "together"]


def enter(room: Semaphore, within_s: float) -> bool:
    """Wait for a place; False when there was none in time."""
    return room.acquire(timeout=None if within_s == math.inf else within_s)


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
