"""An event loop whose time jumps to the next timer when there is nothing else to do.

Half a minute of shutdown takes a millisecond, and a timer fires exactly when it should. Threads
live in real time all the same: what waits for one needs a test in real time, or no timers.
"""

import asyncio
import selectors
import types
from collections.abc import Generator
from typing import Final

_NOTHING_LEFT_S: Final = 10.0


class _JumpingSelector(selectors.DefaultSelector):
    now_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(_NOTHING_LEFT_S if timeout is None else 0)
        if timeout is None and not found:
            raise AssertionError("the loop waits for something that will never happen")
        if not found:
            self.now_s += max(timeout or 0, 0)
        return found


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """Counts its ticks, too: `tick` tells whether two things happened in the same one."""

    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        self.tick = 0
        super().__init__(self._jumping)

    def time(self) -> float:
        """Virtual seconds since the loop was made."""
        return self._jumping.now_s

    def _run_once(self) -> None:
        self.tick += 1
        super()._run_once()  # type: ignore[misc]


def tick() -> int:
    """The number of the tick this runs in; a loop in real time does not count."""
    loop = asyncio.get_running_loop()
    return loop.tick if isinstance(loop, VirtualTimeLoop) else 0


async def pass_time(seconds: float) -> None:
    """Be woken when this much of the loop's time has passed; in virtual time that is at once."""
    loop = asyncio.get_running_loop()
    passed = loop.create_future()
    timer = loop.call_later(seconds, passed.set_result, None)
    try:
        await passed
    finally:
        timer.cancel()


async def pass_ticks(count: int = 1) -> None:
    """Let this many ticks of the loop pass, in which everything happens that needs no time."""
    for _ in range(count):
        await _next_tick()


@types.coroutine
def _next_tick() -> Generator[None, None, None]:
    yield


async def for_ever() -> None:
    """Until cancelled."""
    await asyncio.Event().wait()
