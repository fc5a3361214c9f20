"""Calls made in the same turn of the loop travel together. A pair with `_sync/coalescer.py`."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar

from toril.connection.batch import BatchLimits

T = TypeVar("T")
R = TypeVar("R")


class AsyncCoalescer(Generic[T, R]):
    """Gathers items into batches for `send`, which answers each in its place.

    One batch is in flight at a time; what comes meanwhile waits for the next, in order. A caller
    that is cancelled before its item was sent takes it back; later, only its answer is dropped.
    """

    def __init__(
        self,
        send: Callable[[Sequence[T]], Awaitable[Sequence[R | Exception]]],
        *,
        max_items: int,
        max_bytes: int,
        size: Callable[[T], int],
    ) -> None:
        self._send: Final = send
        self._limits: Final = BatchLimits(max_items, max_bytes, size)
        self._waiting: Final[deque[tuple[T, asyncio.Future[R]]]] = deque()
        self._sender: asyncio.Task[None] | None = None

    async def submit(self, item: T) -> R:
        """Send the item with its neighbours; returns or raises what `send` says of it."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[R] = loop.create_future()
        self._waiting.append((item, answer))
        if self._sender is None or self._sender.done():
            # A task begins in the next turn: everybody who calls in this one is in its batch.
            self._sender = loop.create_task(self._send_all())
        return await answer

    async def _send_all(self) -> None:
        try:
            while self._waiting:
                await self._send_one_batch()
        except BaseException:
            # The loop is going down: nobody will answer those who wait.
            while self._waiting:
                self._waiting.popleft()[1].cancel()
            raise

    async def _send_one_batch(self) -> None:
        batch = [
            (item, answer) for item, answer in self._limits.take(self._waiting) if not answer.done()
        ]
        if not batch:
            return
        try:
            results: Sequence[R | Exception] = await self._send([item for item, _ in batch])
        except Exception as error:  # noqa: BLE001 - it belongs to the callers
            results = [error] * len(batch)
        except BaseException:
            for _, answer in batch:
                answer.cancel()
            raise
        for (_, answer), result in zip(batch, results, strict=True):
            if answer.done():
                continue
            if isinstance(result, Exception):
                answer.set_exception(result)
            else:
                answer.set_result(result)
