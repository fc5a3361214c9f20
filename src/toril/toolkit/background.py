"""The thread in which the toolkit renews leases and listens to servers, one for a process.

It has a loop of its own, so that neither a blocked event loop nor a program without one lets a
lease run out. It is there while something has a duty in it, and a fork begins without.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Final, TypeVarTuple

from toril.core.process import in_every_fork, process_id
from toril.runtime.thread_calls import call_in

Ts = TypeVarTuple("Ts")

_ENDING_S: Final = 1.0


class Duty:
    """Something that goes on in the background until it is ended."""

    def __init__(self, home: "_Home", coroutine: Coroutine[object, object, None]) -> None:
        self._home: Final = home
        self._pid: Final = process_id()
        self._ended: Final[Future[None]] = Future()
        self._task: asyncio.Task[None] | None = None
        call_in(home.loop, self._begin, coroutine)

    def call(self, callback: Callable[[*Ts], object], *args: *Ts) -> None:
        """Call `callback` soon in the background, from any thread."""
        if self._pid == process_id():
            call_in(self._home.loop, callback, *args)

    def end(self, *, wait: bool = True) -> None:
        """Cancel it, and wait until it has cleaned up, a second at most; from any thread."""
        if self._pid != process_id():
            return
        call_in(self._home.loop, self._cancel)
        if wait and threading.current_thread() is not self._home.thread:
            # What it raises is for nobody: it is wanted no more.
            self._ended.exception(_ENDING_S)

    def _begin(self, coroutine: Coroutine[object, object, None]) -> None:
        self._task = asyncio.create_task(coroutine)
        self._task.add_done_callback(self._done)

    def _cancel(self) -> None:
        if self._task:
            self._task.cancel()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._home.leave()
        error = None if task.cancelled() else task.exception()
        if error:
            self._ended.set_exception(error)
        else:
            self._ended.set_result(None)


class _Home:
    """One thread with one loop, until the last duty has left."""

    def __init__(self) -> None:
        self.loop: Final = asyncio.new_event_loop()
        self.duties = 0
        self.thread: Final = threading.Thread(target=self._serve, name="toril toolkit", daemon=True)
        self.thread.start()

    def leave(self) -> None:
        with _Guard.lock:
            self.duties -= 1
            if not self.duties:
                _Guard.home = None
                self.loop.stop()

    def _serve(self) -> None:
        asyncio.set_event_loop(self.loop)
        try:
            self.loop.run_forever()
            # One turn more, in which it takes leave of the sockets.
            self.loop.run_until_complete(asyncio.sleep(0))
        finally:
            self.loop.close()


class _Guard:
    """The home of this process, and who may change it now."""

    lock = threading.Lock()
    home: _Home | None = None

    @classmethod
    def renew(cls) -> None:
        """In a fork there is no such thread, and whoever held the lock is not there either."""
        cls.lock = threading.Lock()
        cls.home = None


in_every_fork(_Guard.renew)


def is_here() -> bool:
    """Whether this runs in the background, where whatever blocks keeps all leases from renewal."""
    home = _Guard.home
    return home is not None and threading.current_thread() is home.thread


def begin(coroutine: Coroutine[object, object, None]) -> Duty:
    """Run this in the background of the process, from any thread."""
    with _Guard.lock:
        home = _Guard.home
        if home is None:
            home = _Guard.home = _Home()
        home.duties += 1
    return Duty(home, coroutine)
