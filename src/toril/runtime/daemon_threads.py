"""A few threads for blocking calls that never keep a process alive.

`concurrent.futures` joins its threads at exit, so one stuck call would hold the process for ever.
"""

import asyncio
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final, TypeAlias, TypeVar

from toril.runtime.thread_calls import call_in

R = TypeVar("R")

_Call: TypeAlias = Callable[[], None]

_JOIN_S: Final = 1.0


class DaemonThreads:
    """Up to `most` threads, started as they are needed.

    `_threads` belongs to the loop; `_busy` is written by each thread for itself and read by the
    loop, with operations that are atomic.
    """

    def __init__(self, most: int, *, name: str) -> None:
        self._most = most
        self._name = name
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._busy: set[threading.Thread] = set()

    async def run(self, call: Callable[[], R]) -> R:
        """Run `call`, which must not raise, in a thread; once begun it goes on, even unheard."""
        loop = asyncio.get_running_loop()
        result: asyncio.Future[R] = loop.create_future()

        def run_here() -> None:
            if result.cancelled():
                return
            value = call()
            self._busy.discard(threading.current_thread())
            call_in(loop, _settle, result, value)

        self._calls.put(run_here)
        if len(self._threads) < self._most:
            self._start_one()
        return await result

    def close(self) -> None:
        """End every thread that has nothing to do, and wait for those."""
        for _ in self._threads:
            self._calls.put(None)
        for thread in self._threads:
            if thread not in self._busy:
                thread.join(_JOIN_S)
        self._threads.clear()

    def _start_one(self) -> None:
        thread = threading.Thread(
            target=self._work, name=f"{self._name} {len(self._threads)}", daemon=True
        )
        self._threads.append(thread)
        thread.start()

    def _work(self) -> None:
        me = threading.current_thread()
        while (call := self._calls.get()) is not None:
            self._busy.add(me)
            call()
            self._busy.discard(me)


def _settle(result: asyncio.Future[R], value: R) -> None:
    if not result.done():
        result.set_result(value)
