"""Callers in the same test that are no part of what runs there."""

import asyncio
from collections.abc import Awaitable, Callable
from contextvars import Context
from typing import Final, TypeVar

from toril.toolkit import AsyncOnce, Once

R = TypeVar("R")


class Stranger:
    """Runs keys as another thread would."""

    def __init__(self, once: Once) -> None:
        self._once: Final = once

    def run(self, key: str, work: Callable[[], R]) -> R:
        return Context().run(self._once.run, key, work)


class AsyncStranger:
    """Runs keys as a task would that was begun elsewhere."""

    def __init__(self, once: AsyncOnce) -> None:
        self._once: Final = once

    async def run(self, key: str, work: Callable[[], Awaitable[R]]) -> R:
        return await asyncio.create_task(self._once.run(key, work), context=Context())
