"""An event loop in a thread of its own, for a blocking face on something that runs on a loop."""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import CancelledError
from types import TracebackType
from typing import Final, Self, TypeVar

R = TypeVar("R")

_SIGNAL_LATENCY_S: Final = 0.25
"""A signal that the system gives to another thread is handled when the main thread wakes up."""


class LoopThread:
    """Runs coroutines for threads that have no loop. Leaving the `with` block ends the loop.

    The thread is a daemon: whoever forgets to close it still gets to the end of the process.

        with LoopThread("worker") as loop:
            loop.run(engine.run())
    """

    def __init__(
        self,
        name: str,
        *,
        loop_factory: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop,
    ) -> None:
        self._runner = asyncio.Runner(loop_factory=loop_factory)
        self._ready = threading.Event()
        self._ending: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._running: set[asyncio.Task[object]] = set()
        self._thread = threading.Thread(target=self._serve, name=f"toril {name}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._loop is not None and self._ending is not None:
            self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join()

    def run(self, coroutine: Coroutine[object, object, R]) -> R:
        """Run it in the loop and wait for its end; signals are handled meanwhile.

        When the wait is broken off, by a signal handler that raises, the coroutine is cancelled;
        leaving the `with` block waits until it has cleaned up.

        Raises:
            CancelledError: the loop has ended, or ends before the coroutine does.
        """
        if self._loop is None:
            coroutine.close()
            raise RuntimeError("the loop thread was not entered")
        tracked = self._tracked(coroutine)
        try:
            future = asyncio.run_coroutine_threadsafe(tracked, self._loop)
        except RuntimeError as closed:
            tracked.close()
            coroutine.close()
            raise CancelledError from closed
        # A bare lock, because a signal handler that raises leaves nothing half locked here.
        pending = threading.Lock()
        pending.acquire()
        future.add_done_callback(lambda _: pending.release())
        try:
            while not pending.acquire(timeout=_SIGNAL_LATENCY_S):
                if not self._thread.is_alive():
                    future.cancel()
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def _serve(self) -> None:
        with self._runner as runner:
            runner.run(self._until_ending())

    async def _until_ending(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ending = asyncio.Event()
        self._ready.set()
        await self._ending.wait()
        for task in self._running:
            if not task.cancelling():  # a second cancellation would break off its cleaning up
                task.cancel()
        if self._running:
            await asyncio.wait(self._running)

    async def _tracked(self, coroutine: Coroutine[object, object, R]) -> R:
        task = asyncio.current_task()
        if task is not None:
            self._running.add(task)
            task.add_done_callback(self._running.discard)
        return await coroutine
