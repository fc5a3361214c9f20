"""Run a handler on a job and tell how it ended; nothing a handler raises gets past here.

Only the class of what was raised decides. `SystemExit`, `KeyboardInterrupt` and the rest are
failures of the job like any other: a job must not be able to stop its worker.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable
from contextvars import copy_context
from functools import partial
from typing import Generic, Protocol, TypeVar

from toril.core.errors import BadInputError, PermanentError
from toril.core.outcome import Say
from toril.runtime.daemon_threads import DaemonThreads
from toril.runtime.source import Ending, Raised, Returned, Said
from toril.runtime.stop import StopSignal

J = TypeVar("J")
J_contra = TypeVar("J_contra", contravariant=True)
H = TypeVar("H")


class Executor(Protocol[J_contra]):
    """Somewhere to run handlers."""

    @property
    def can_interrupt(self) -> bool:
        """Whether cancelling `execute` reaches the handler."""
        ...

    async def execute(self, job: J_contra, signal: StopSignal) -> Ending:
        """Run the handler to its end, whatever end that is; `signal` tells it to stop."""
        ...

    def close(self) -> None:
        """Let go of every thread that is not stuck in a handler."""
        ...


class LoopExecutor(Generic[J, H]):
    """Runs a coroutine function on the engine's own loop.

    `bind` makes what the handler gets, of the job and of the signal to stop.
    """

    can_interrupt = True

    def __init__(
        self, handler: Callable[[H], Awaitable[object]], *, bind: Callable[[J, StopSignal], H]
    ) -> None:
        self._handler = handler
        self._bind = bind

    async def execute(self, job: J, signal: StopSignal) -> Ending:
        """Await the handler, in the task of the caller."""
        try:
            return _returned(await self._handler(self._bind(job, signal)))
        except BaseException as error:  # noqa: BLE001 - the boundary of the job
            return _raised(error)

    def close(self) -> None:
        """There is nothing to let go of."""


class ThreadExecutor(Generic[J, H]):
    """Runs a plain function in one of `threads` threads.

    A thread cannot be stopped from outside: a handler that does not look at the signal to stop runs
    to its end all the same, and only its outcome is dropped. The threads are daemons: one that is
    stuck does not keep the process alive.
    """

    can_interrupt = False

    def __init__(
        self, handler: Callable[[H], object], *, bind: Callable[[J, StopSignal], H], threads: int
    ) -> None:
        self._handler = handler
        self._bind = bind
        self._threads = DaemonThreads(threads, name="toril handler")

    async def execute(self, job: J, signal: StopSignal) -> Ending:
        """Wait for a thread to have called the handler."""
        call = partial(copy_context().run, self._call, job, signal)
        return await self._threads.run(call)

    def close(self) -> None:
        """End the idle threads; stuck ones end with the process."""
        self._threads.close()

    def _call(self, job: J, signal: StopSignal) -> Ending:
        try:
            value = self._handler(self._bind(job, signal))
            return Raised(_not_plain(value)) if inspect.isawaitable(value) else _returned(value)
        except BaseException as error:  # noqa: BLE001 - the boundary of the job
            return _raised(error)


def is_async_handler(handler: Callable[..., object]) -> bool:
    """Whether calling `handler` makes a coroutine, also behind `partial` or `__call__`."""
    while isinstance(handler, partial):
        handler = handler.func
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(
        getattr(handler, "__call__", None)  # noqa: B004 - the method itself is looked at
    )


def _returned(value: object) -> Ending:
    return Said(value) if isinstance(value, Say) else Returned(value)


def _raised(error: BaseException) -> Ending:
    if isinstance(error, Say):
        return Said(error)
    return Raised(error, final=isinstance(error, PermanentError))


def _not_plain(value: Awaitable[object]) -> BadInputError:
    if asyncio.iscoroutine(value):
        value.close()
    return BadInputError(
        "handler", "a plain function returned an awaitable; declare the handler with `async def`"
    )
