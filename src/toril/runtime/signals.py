"""Let signals stop a worker: the first drains it, the second gives its jobs back at once."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

_STOPPING: Final = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stop_signals(*, first: Callable[[], None], second: Callable[[], None]) -> Iterator[None]:
    """Call `first` on the first SIGINT or SIGTERM and `second` on every later one.

    Only the main thread may handle signals; in any other this does nothing. The handlers that
    were there before are put back at the end.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    calls = iter((first,))

    def handle(_number: int, _frame: FrameType | None) -> None:
        next(calls, second)()

    before = {number: signal.signal(number, handle) for number in _STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
