"""Functions that run under a lock, of either colour."""

import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import wraps
from typing import Any, TypeVar, Unpack, cast

from toril.connection import AsyncConnection, Connection, Target
from toril.core.errors import BadInputError
from toril.toolkit.call_names import CallName
from toril.toolkit.locks._async.lock import AsyncLock
from toril.toolkit.locks._sync.lock import Lock
from toril.toolkit.locks.options import LockOptions, Settings

F = TypeVar("F", bound=Callable[..., Any])


def locked(name: str, target: object = None, **options: Unpack[LockOptions]) -> Callable[[F], F]:
    """Run a function only while a lock is held whose name is made of its arguments.

    Works on functions and on coroutine functions. Each call connects and closes again, unless the
    target is a `Connection`, or an `AsyncConnection` for coroutine functions: then all share it.
    It raises what `Lock.hold` does.

    >>> @locked("order:{order_id}", wait=5)
    ... async def ship(order_id: int) -> None: ...

    Raises:
        BadInputError: the name asks for an argument that the function does not have.
    """
    Settings.of(options)
    if not isinstance(target, AsyncConnection | Connection):
        Target.of(target)

    def decorate(function: F) -> F:
        if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
            raise BadInputError("function", "is a generator: it runs when the lock is free again")
        naming = CallName(name, function, "name")
        if inspect.iscoroutinefunction(function):

            @wraps(function)
            async def run_async(*args: object, **kwargs: object) -> object:
                async with _held_async(AsyncLock(naming.of(args, kwargs), target, **options)):
                    return await function(*args, **kwargs)

            return cast("F", run_async)

        @wraps(function)
        def run(*args: object, **kwargs: object) -> object:
            with _held(Lock(naming.of(args, kwargs), target, **options)):
                return function(*args, **kwargs)

        return cast("F", run)

    return decorate


@asynccontextmanager
async def _held_async(lock: AsyncLock) -> AsyncIterator[None]:
    try:
        async with lock.hold():
            yield
    finally:
        await lock.close()


@contextmanager
def _held(lock: Lock) -> Iterator[None]:
    try:
        with lock.hold():
            yield
    finally:
        lock.close()
