"""Who is told that a lease was lost, and where. A hand-written pair with `_async/listener.py`."""

import inspect
import threading
from collections.abc import Callable

from toril.core.errors import BadInputError
from toril.runtime.executors import is_async_handler
from toril.toolkit.background import is_here
from toril.toolkit.leases.hold import others_spared


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


def check_listener(listener: object) -> None:
    """Nobody would await what a coroutine function returns.

    Raises:
        BadInputError: it is one.
    """
    if callable(listener) and is_async_handler(listener):
        raise BadInputError("on_lost", f"{listener!r} is async, and nobody here would await it")


def tell(listener: Callable[[], object], name: str) -> None:
    """Call it; a coroutine that it returns all the same is a failure of its own."""
    with others_spared(name):
        result = listener()
        if inspect.iscoroutine(result):
            result.close()
            raise TypeError("it returned a coroutine, which nobody here would await")
