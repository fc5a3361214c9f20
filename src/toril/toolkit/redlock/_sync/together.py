"""Several calls at the same time. A hand-written pair with `_async/together.py`."""

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import TypeVar

R = TypeVar("R")


def together(calls: Sequence[Callable[[], R]]) -> list[R]:
    """Begin all, each in a thread of its own; wait for all. What they return, in order."""
    futures = [_begin(call) for call in calls]
    return [future.result() for future in futures]


def _begin(call: Callable[[], R]) -> Future[R]:
    future: Future[R] = Future()

    def run() -> None:
        try:
            future.set_result(call())
        except BaseException as error:  # noqa: BLE001 - it is raised where the result is wanted
            future.set_exception(error)

    threading.Thread(target=run, name="toril redlock", daemon=True).start()
    return future
