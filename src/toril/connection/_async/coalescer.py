"""Calls made in the same turn of the loop travel together. A pair with `_sync/coalescer.py`."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, Generic, TypeVar, cast

from toril.connection.batch import BatchLimits

T = TypeVar("T")
R = TypeVar("R")

_PAYS_BESIDE_ANOTHER: Final = 16
"""A second batch is worth its round trip from so many items on."""


class AsyncCoalescer(Generic[T, R]):
    """Gathers items into batches for `send`, which answers each in its place.

    What comes while a batch is in flight waits for the next, in order. When that are many, a second
    batch goes out beside the first: the server works on one while Python works on the other. The
    callers of a large batch are answered in two turns, so that they come back as two batches.
    The very first batch goes alone, as it finds everything closed and must not be overtaken.

    A caller that is cancelled before its item was sent takes it back; later, only its answer is
    dropped.
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
        self._senders: Final[set[asyncio.Task[None]]] = set()
        self._in_flight = 0
        self._has_landed = False

    async def submit(self, item: T) -> R:
        """Send the item with its neighbours; returns or raises what `send` says of it."""
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[R] = loop.create_future()
        self._waiting.append((item, answer))
        if not self._senders or self._pays_beside_another:
            # A task begins in the next turn: everybody who calls in this one is in its batch.
            sender = loop.create_task(self._send_all())
            self._senders.add(sender)
            sender.add_done_callback(self._senders.discard)
        return await answer

    @property
    def _pays_beside_another(self) -> bool:
        return (
            self._has_landed
            and self._in_flight == len(self._senders) == 1
            and len(self._waiting) >= _PAYS_BESIDE_ANOTHER
        )

    async def _send_all(self) -> None:
        try:
            while self._waiting:
                await self._send_one_batch()
        except BaseException:
            # The loop is going down: nobody will answer those who wait.
            while self._waiting:
                self._waiting.popleft()[1].cancel()
            raise
        finally:
            # Now: its callback comes a turn later, and until then nobody would send.
            self._senders.discard(cast("asyncio.Task[None]", asyncio.current_task()))

    async def _send_one_batch(self) -> None:
        batch = [
            (item, answer) for item, answer in self._limits.take(self._waiting) if not answer.done()
        ]
        if not batch:
            return
        self._in_flight += 1
        try:
            results: Sequence[R | Exception] = await self._send([item for item, _ in batch])
        except Exception as error:  # noqa: BLE001 - it belongs to the callers
            results = [error] * len(batch)
        except BaseException:
            for _, answer in batch:
                answer.cancel()
            raise
        else:
            self._has_landed = True
        finally:
            self._in_flight -= 1
        answers = list(zip([answer for _, answer in batch], results, strict=True))
        now = len(answers)
        if now >= 2 * _PAYS_BESIDE_ANOTHER:
            now = (now + 1) // 2
        _give(answers[:now])
        if answers[now:]:
            asyncio.get_running_loop().call_soon(_give, answers[now:])


def _give(answers: Sequence[tuple[asyncio.Future[R], R | Exception]]) -> None:
    for answer, result in answers:
        if answer.done():
            continue
        if isinstance(result, Exception):
            answer.set_exception(result)
        else:
            answer.set_result(result)
