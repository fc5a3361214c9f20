"""What to do at the first signal, and at those after it; and which ones came."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from toril.cli.exit_codes import ExitCode


class Received(list[int]):
    """The signals so far, oldest first."""

    @property
    def exit_code(self) -> int:
        """0 after an orderly end; the code of the signal that cut it short."""
        return 128 + self[-1] if len(self) > 1 else ExitCode.OK


@contextmanager
def stop_signals(first: Callable[[], None], second: Callable[[], None]) -> Iterator[Received]:
    """Call `first` at the first SIGINT or SIGTERM and `second` at every later one, on the loop."""
    received = Received()

    def handle(number: int) -> None:
        received.append(number)
        (first if len(received) == 1 else second)()

    loop = asyncio.get_running_loop()
    stopping = (signal.SIGINT, signal.SIGTERM)
    for number in stopping:
        loop.add_signal_handler(number, handle, number)
    try:
        yield received
    finally:
        for number in stopping:
            loop.remove_signal_handler(number)
